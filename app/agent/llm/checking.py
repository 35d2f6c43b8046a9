"""Testing a model: one small request, and in a sentence what is wrong when it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.agent.llm.base import LanguageModel, ModelError, ModelSettings, SystemMessage, ToolSpec, UserMessage
from app.core import clock
from app.core.i18n import Text, text

_TOKENS = 256
"""Room for a model that thinks before it answers."""
_TOOL = ToolSpec(
    name="list_languages",
    description="Lists the languages of the site.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)
_SENTENCES = {
    "no_model": text("There is no such model. Known are builtin, openai:NAME and anthropic:NAME."),
    "no_key": text(
        "The key is missing. Set %(setting)s_API_KEY, or %(setting)s_BASE_URL if the endpoint needs no key."
    ),
    "bad_key": text("%(setting)s_API_KEY holds signs that no key has. Copy the key again."),
    "bad_address": text("%(setting)s_BASE_URL is not the address of an endpoint. It begins with http:// or https://."),
    "key": text("The provider does not accept the key."),
    "not_found": text("The provider answers, but knows no such model at this address. Check the name and the address."),
    "quota": text("The account of the key is used up. The provider answers again when it is topped up."),
    "too_long": text("The conversation is too long for the model."),
    "refused": text("The provider refuses the request as wrong."),
    "wait": text("The provider asks to wait. The connection itself works."),
    "failed": text("The provider is failing. Try again later."),
    "left_alone": text("The provider failed several times in a row. It is asked again in a moment."),
    "timeout": text("The provider does not answer in time."),
    "dns": text("The name of the address is unknown. Check the address."),
    "tls": text("No secure connection is possible. Check whether the address begins with http:// or https://."),
    "connection": text("Nobody answers at the address, or the connection broke. Check the address."),
    "cut_off": text("The answer was cut off. If that goes on, set IMPRIMATUR_MODEL_STREAMING=0."),
    "redirect": text("The address sends on to another one. The key was not sent there; set the right address."),
    "too_much": text("The answer was longer than is read."),
    "garbage": text("Something answers at the address, but not in the language of this provider. Check the address."),
}
_UNKNOWN = text("The model cannot be used.")
_FOR_ADMINISTRATORS = frozenset({"no_model", "no_key", "bad_key", "bad_address", "key", "not_found", "quota"})
"""Failures that go on until somebody changes the configuration, the settings or the account (F25)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A model that answered: after how many seconds."""

    seconds: float


def check_model(model: LanguageModel, name: str, *, cancel: Callable[[], bool] | None = None) -> Checked:
    """Ask ``model`` for a few words with one tool on offer, as every real request has.

    Raises ``ModelError``, and ``CallCancelled`` when ``cancel()`` turned true.
    """
    began = clock.monotonic()
    model.respond(
        [SystemMessage(content="This is a test of the connection."), UserMessage(content="Answer with one word.")],
        [_TOOL],
        ModelSettings(model=name, max_output_tokens=_TOKENS),
        cancel=cancel,
    )
    return Checked(seconds=clock.monotonic() - began)


def sentence_about(failure: ModelError) -> Text:
    """What a person may read of ``failure``: never a key, never what the provider wrote."""
    return sentence_of_code(failure.code, setting=failure.detail)


def sentence_of_code(code: str, *, setting: str) -> Text:
    """The same by the code of a failure; ``setting`` is how the names of the provider's settings begin."""
    found = _SENTENCES.get(code, _UNKNOWN)
    return found.with_params(setting=setting) if "%(setting)s" in found.message else found


def needs_administrator(failure: ModelError) -> bool:
    """Whether trying again helps nobody until an administrator has mended something."""
    return failure.code in _FOR_ADMINISTRATORS
