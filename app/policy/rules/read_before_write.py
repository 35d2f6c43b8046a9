"""``read_before_write``: a configuration can demand that the assistant has read a record before it changes it.

It needs the calls before, and before a card none of the turn has run: it is never asked early (DW-17).
"""

from __future__ import annotations

from typing import Final

from app.core.i18n import text
from app.policy.decisions import ALLOWED, Decision, Refused
from app.policy.invocation import ConfigurationFacts, InvocationContext

RULE_ID: Final = "read_before_write"
NOT_READ: Final = "not_read"
READ: Final = frozenset({"read", "done"})
"""States of outcomes in which a call gave an answer."""
EXPLANATION: Final = text(
    "The configuration requires that a record is read before it is changed. Nothing was changed. "
    "Read the record first and propose the step again."
)


class ReadBeforeWrite:
    """Refuses a write to a record that no earlier call of the run has read or made."""

    id = RULE_ID

    def reads_history(self, configuration: ConfigurationFacts) -> bool:
        """See ``HistoryRule``."""
        return configuration.requires_read_before_write

    def decide(self, context: InvocationContext) -> Decision:
        """See the class; calls that name no record pass: they change none that could have been read."""
        if not context.configuration.requires_read_before_write or not context.tool.is_write:
            return ALLOWED
        known = {target for call in context.history or () if call.outcome in READ for target in call.targets}
        if all(target in known for target in context.targets):
            return ALLOWED
        return Refused(rule=RULE_ID, reason=NOT_READ, explanation=EXPLANATION)
