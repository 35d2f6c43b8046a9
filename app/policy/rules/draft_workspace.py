"""``draft_workspace_required``: a configuration can demand that every write lands in a draft workspace (DW-02 to DW-08)."""

from __future__ import annotations

from typing import Final

from app.core.i18n import Text, text
from app.policy.decisions import ALLOWED, Decision, Refused
from app.policy.identity import LIVE
from app.policy.invocation import InvocationContext

RULE_ID: Final = "draft_workspace_required"

EXPLANATIONS: Final[dict[str, Text]] = {
    "live_workspace": text(
        "The configuration requires a draft workspace. Nothing was changed. "
        "Switch to a draft workspace and send the request again."
    ),
    "workspace_unavailable": text(
        "This draft workspace is not available to you any more. Nothing was changed. "
        "Choose another draft workspace and send the request again."
    ),
    "remote_write": text("A draft workspace cannot hold what this tool writes. Nothing was sent."),
}


class RequireDraftWorkspace:
    """Refuses a write unless the run recorded a draft workspace and its owner resolves to exactly that workspace now.

    Being an administrator changes nothing (DW-03).
    """

    id = RULE_ID
    answers_before_approval = True

    def decide(self, context: InvocationContext) -> Decision:
        """See the class; reads pass (DW-05)."""
        if not context.configuration.requires_draft_workspace or not context.tool.is_write:
            return ALLOWED
        if context.tool.is_remote:
            return _refuse("remote_write")
        if context.recorded_workspace is None or context.recorded_workspace <= LIVE:
            return _refuse("live_workspace")
        if context.acting is None or context.acting.workspace_id != context.recorded_workspace:
            return _refuse("workspace_unavailable")
        return ALLOWED


def _refuse(reason: str) -> Refused:
    return Refused(rule=RULE_ID, reason=reason, explanation=EXPLANATIONS[reason])
