"""Which model a configuration's model name stands for."""

from __future__ import annotations

from app.agent.llm.base import ConfigurationMissing, LanguageModel
from app.agent.llm.builtin import BuiltInAssistant

BUILT_IN = "builtin"


def make_model(name: str) -> LanguageModel:
    """The model of that name. Raises `ConfigurationMissing` with a sentence for a name this installation cannot use."""
    if name == BUILT_IN:
        return BuiltInAssistant()
    provider, separator, model = name.partition(":")
    if separator and model and provider in ("openai", "anthropic"):
        raise ConfigurationMissing(f"The model {name!r} needs the {provider} adapter, which is not installed here.")
    raise ConfigurationMissing(f"There is no model {name!r}. Known are 'builtin', 'openai:NAME' and 'anthropic:NAME'.")
