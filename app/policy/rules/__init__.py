"""The built-in invocation rules, one file each, in the order they are asked."""

from __future__ import annotations

from app.policy.invocation import InvocationPolicy
from app.policy.rules.draft_workspace import RequireDraftWorkspace


def built_in_policy() -> InvocationPolicy:
    """The chain every run is asked by."""
    return InvocationPolicy([RequireDraftWorkspace()])
