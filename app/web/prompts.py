"""What the AI assistant is told in a configuration, for administrators: the system prompt as one person would get it now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, Response, request

from app.accounts.identities import find_identity
from app.accounts.store import find_user_by_name
from app.agent.configurations import ConfigurationView, find_configuration, may_use_configuration
from app.chat.prompt.sections import Part
from app.chat.prompting import shown_prompt
from app.core.errors import NotFound
from app.core.i18n import Text, ntext, ptext, text
from app.policy.identity import Identity
from app.web import render
from app.web.current import current
from app.web.guards import administrator, requires

bp = Blueprint("prompts", __name__)
LONGEST_NAME = 255
PARTS: Mapping[Part, Text] = {
    Part.INSTRUCTIONS: ptext("system prompt", "Instructions"),
    Part.SITE: ptext("system prompt", "Site and languages"),
    Part.WORKSPACE: ptext("system prompt", "Workspace"),
    Part.CONFIGURATION: ptext("system prompt", "Configuration"),
    Part.TOOLS: ptext("system prompt", "Tools by group"),
    Part.SERVERS: ptext("system prompt", "Remote servers"),
    Part.RULES: ptext("system prompt", "Rules in every configuration"),
    Part.NOTES: ptext("system prompt", "Earlier assignments of the conversation"),
    Part.FENCE: ptext("system prompt", "Marks around results"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PartView:
    """One part of the prompt."""

    name: str
    label: Text
    words: str
    language: str
    """Language of ``words``; empty when nobody knows it."""
    size: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptView:
    """What the page shows; without ``parts`` there is only the form."""

    configuration_id: int
    configuration: str
    model: str
    asked: str
    """The sign-in name that was asked for, as typed."""
    person: str = ""
    error: Text | None = None
    note: Text | None = None
    parts: tuple[PartView, ...] = ()


@bp.get("/configurations/<int:configuration_id>/prompt")
@requires(administrator)
def show(configuration_id: int) -> Response:
    """The prompt for the person named in the address, by default for oneself."""
    configuration = find_configuration(current().connection, configuration_id)
    if configuration is None:
        raise NotFound(f"configuration {configuration_id}")
    asked = " ".join(request.args.get("person", "").split())[:LONGEST_NAME]
    view = _view(configuration, asked)
    return render.page("configurations/prompt.html", prompt=view, status=200 if view.error is None else 422)


def _view(configuration: ConfigurationView, asked: str) -> PromptView:
    person = _person(asked)
    if person is None:
        return PromptView(
            configuration_id=configuration.id,
            configuration=configuration.name,
            model=configuration.model,
            asked=asked,
            error=text("There is no person with the name “%(name)s”.", name=asked),
        )
    may_use = may_use_configuration(person, configuration)
    return PromptView(
        configuration_id=configuration.id,
        configuration=configuration.name,
        model=configuration.model,
        asked=asked or person.username,
        person=person.name,
        note=None if may_use else text("This person may not use this configuration."),
        parts=_parts(person, configuration),
    )


def _person(asked: str) -> Identity | None:
    """Who is meant: people who may not act at the moment are not found."""
    if not asked:
        return current().identity
    row = find_user_by_name(current().connection, asked)
    return None if row is None else find_identity(current().connection, row["id"])


def _parts(person: Identity, configuration: ConfigurationView) -> tuple[PartView, ...]:
    prompt = shown_prompt(current().connection, person, configuration, current().runtime)
    return tuple(
        PartView(
            name=section.part.value,
            label=PARTS[section.part],
            words=section.words,
            language=section.language,
            size=ntext("%(n)s character", "%(n)s characters", len(section.words)),
        )
        for section in prompt.sections
    )
