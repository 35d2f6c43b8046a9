"""Which model a configuration's model name stands for."""

from __future__ import annotations

from app.agent.llm.base import ConfigurationMissing, LanguageModel
from app.agent.llm.builtin import BuiltInAssistant
from app.agent.llm.provider.connection import PROVIDERS, connection_to
from app.config import Settings

BUILT_IN = "builtin"


def is_model_name(name: str) -> bool:
    """Whether ``name`` has the form of a name configurations may hold; nobody is asked whether there is such a model."""
    provider, separator, model = name.partition(":")
    return name == BUILT_IN or bool(separator and model.strip() and model.isprintable() and provider in PROVIDERS)


def make_model(name: str, settings: Settings | None = None) -> LanguageModel:
    """The model of that name, reached as ``settings`` say (without them: not at all).

    Raises `ConfigurationMissing` with a sentence for a name this installation cannot use.
    """
    if name == BUILT_IN:
        return BuiltInAssistant()
    if not is_model_name(name):
        raise ConfigurationMissing(
            f"There is no model {name!r}. Known are 'builtin', 'openai:NAME' and 'anthropic:NAME'.", code="no_model"
        )
    provider, _, model = name.partition(":")
    connection = connection_to(provider, settings or Settings())
    # Loading the library takes seconds and a hundred megabytes: only who asks such a model pays for it.
    from app.agent.llm.provider.adapter import ProviderModel

    return ProviderModel(connection, model.strip())
