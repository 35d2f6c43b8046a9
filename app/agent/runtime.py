"""What every part of the runtime needs, wired once by the application."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.agent.llm.base import LanguageModel
from app.agent.tools.registry import ToolRegistry
from app.config import Settings
from app.core.crypto import Cipher
from app.policy.invocation import InvocationPolicy


@dataclass(frozen=True, kw_only=True, slots=True)
class Runtime:
    """The parts a run is executed with."""

    registry: ToolRegistry
    policy: InvocationPolicy
    cipher: Cipher
    make_model: Callable[[str], LanguageModel]
    """Model by the name a configuration holds; raises ``llm.base.ModelError`` for a name that cannot be served."""
    wake: Callable[[str], None]
    """Tells workers that a run is queued; a hint, the row is the truth."""
    settings: Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Services:
    """What the web layer finds in the application: ``app.extensions["imprimatur"]``."""

    runtime: Runtime
    settings: Settings
