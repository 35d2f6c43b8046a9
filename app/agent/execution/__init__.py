"""Execution: the commit unit is the only code that executes a write call (D6, reliability.md 3.2)."""

from app.agent.execution.hooks import settle_interrupted_hooks
from app.agent.execution.reads import execute_read
from app.agent.execution.results import EffectDiffers, Executed, ExecutionResult, LeaseLost, RunCancelled
from app.agent.execution.unit import execute_call

__all__ = [
    "EffectDiffers",
    "Executed",
    "ExecutionResult",
    "LeaseLost",
    "RunCancelled",
    "execute_call",
    "execute_read",
    "settle_interrupted_hooks",
]
