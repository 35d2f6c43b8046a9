"""``only_below_pages``: a configuration can restrict writes to one page and what lies below it.

The target comes from the call: the record, or the page a new one would lie on. A record that does not exist and one
the acting person may not see get the same answer as one outside (I21).
"""

from __future__ import annotations

from typing import Final

from app.core.i18n import text
from app.policy.decisions import ALLOWED, Decision, Refused
from app.policy.invocation import ConfigurationFacts, InvocationContext

RULE_ID: Final = "only_below_pages"
OUTSIDE: Final = "outside_branch"
EXPLANATION: Final = text(
    "The configuration allows changes in one part of the page tree only, and this step lies outside of it. "
    "Nothing was changed."
)
NAMED_EXPLANATION: Final = text(
    "The configuration allows changes only on the page “%(page)s” and below it, and this step lies outside of it. "
    "Nothing was changed."
)
"""For people who may see that page; everybody else reads ``EXPLANATION``."""


class OnlyBelowPages:
    """Refuses a write unless every place it writes to lies on the configuration's page or below it."""

    id = RULE_ID
    answers_before_approval = True

    def reads_places(self, configuration: ConfigurationFacts) -> bool:
        """See ``PlaceRule``."""
        return configuration.branch_page > 0

    def decide(self, context: InvocationContext) -> Decision:
        """See the class; reads pass."""
        branch = context.configuration.branch_page
        if branch <= 0 or not context.tool.is_write:
            return ALLOWED
        if context.places and all(branch in place for place in context.places):
            return ALLOWED
        return Refused(rule=RULE_ID, reason=OUTSIDE, explanation=EXPLANATION)
