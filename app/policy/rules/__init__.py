"""The built-in invocation rules, one file each, in the order they are asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.policy.invocation import InvocationPolicy, InvocationRule
from app.policy.rules.below_pages import OnlyBelowPages
from app.policy.rules.draft_workspace import RequireDraftWorkspace
from app.policy.rules.read_before_write import ReadBeforeWrite


def built_in_policy(
    further: Sequence[InvocationRule] = (), *, timer: Callable[[], float] | None = None
) -> InvocationPolicy:
    """The chain every run is asked by; ``further`` are rules of the installation, asked after the built-in ones."""
    return InvocationPolicy([RequireDraftWorkspace(), OnlyBelowPages(), ReadBeforeWrite(), *further], timer=timer)
