"""The assistant deletes no pages."""

from __future__ import annotations

from app.core.i18n import text
from app.policy.decisions import ALLOWED, Decision, Refused
from app.policy.invocation import InvocationContext

EXPLANATION = text("Pages are deleted by people only. Nothing was changed.")


class KeepPages:
    """Refuses the deletion of a page, whoever asks, administrators included."""

    id = "careful.keep_pages"
    answers_before_approval = True
    """The answer comes from the call alone, so nobody has to be asked about a step that would be refused anyway."""

    def decide(self, context: InvocationContext) -> Decision:
        """Allowed, or refused with ``page_deletion``."""
        if context.tool.name == "delete_record" and context.arguments.get("table") == "pages":
            return Refused(rule=self.id, reason="page_deletion", explanation=EXPLANATION)
        return ALLOWED
