"""Everything that may refuse a call, each gate with its own rule name, reason code and sentence (reliability.md 2.1).

Built-in gates have the rule names below; the rules of the policy have their own ids. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from sqlalchemy.engine import Connection

from app.accounts.service import find_identity
from app.agent.earlier_calls import find_history
from app.agent.explaining import named_explanation
from app.agent.loop.arguments import Accepted, read_arguments
from app.agent.runtime import Runtime
from app.agent.targets import find_places, named_targets
from app.agent.tools.base import Tool
from app.agent.types import Call, RunFacts
from app.core.db import sealed
from app.core.i18n import Text, text
from app.policy.decisions import Refused
from app.policy.identity import GRANT_APPROVE, LIVE, Identity
from app.policy.invocation import ConfigurationFacts, InvocationContext

OFFER: Final = "offer"
ARGUMENTS: Final = "arguments"
OWNER: Final = "owner"
APPROVER: Final = "approver"
APPROVAL: Final = "approval"
TOOL: Final = "tool"
"""The tool itself refuses: missing or not yours, a value that cannot be stored."""
REHEARSAL: Final = "rehearsal"
"""The rehearsal raised; the reason is the class name."""

CONFIGURATION_GONE: Final = "configuration_gone"
WRITE_UNAPPROVED: Final = "write_unapproved"
REFUSED_ON_CARD: Final = "refused_on_card"

_NOT_OFFERED = text("The configuration does not offer this step. Nothing was changed.")
_OWNER_GONE = text("The person this assignment belongs to cannot act any more. Nothing was changed.")
_EXPLANATIONS: Mapping[tuple[str, str], Text] = MappingProxyType(
    {
        (OFFER, "not_registered"): text("There is no such step. Nothing was changed."),
        (OFFER, "requires_admin"): text("Only administrators may use this step. Nothing was changed."),
        (OFFER, "configuration_group"): _NOT_OFFERED,
        (OFFER, "excluded"): _NOT_OFFERED,
        (OFFER, CONFIGURATION_GONE): text(
            "The configuration of this assignment is not available any more. Nothing was changed."
        ),
        (OWNER, "no_acting_user"): _OWNER_GONE,
        (OWNER, "workspace_unavailable"): text(
            "The workspace of this assignment is not available any more. Nothing was changed."
        ),
        (APPROVER, "unavailable"): text("The person who approved cannot act any more. Nothing was changed."),
        (APPROVER, "no_grant"): text(
            "The person who approved may not approve steps of others any more. Nothing was changed."
        ),
        (APPROVER, "second_approver"): text("A second person has to approve this step. Nothing was changed."),
        (APPROVAL, WRITE_UNAPPROVED): text("This step needs an approval and has none. Nothing was changed."),
    }
)
_BY_RULE: Mapping[str, Text] = MappingProxyType(
    {
        OFFER: _NOT_OFFERED,
        ARGUMENTS: text("The details of this step could not be used. Nothing was changed."),
        APPROVER: text("The person who approved may not use this step. Nothing was changed."),
        REHEARSAL: text("This step could not be tried out. Nothing was changed."),
    }
)
_GENERIC = text("A rule refuses this step. Nothing was changed.")


def explained(refused: Refused) -> Text:
    """The sentence for people; a refusal without one gets a generic line (DW-16)."""
    if refused.explanation is not None:
        return refused.explanation
    return _EXPLANATIONS.get((refused.rule, refused.reason)) or _BY_RULE.get(refused.rule) or _GENERIC


def find_acting(connection: Connection, facts: RunFacts) -> Identity | None:
    """The owner as the database knows them now, standing in the run's workspace or nowhere (D11); None = no acting
    user.
    """
    return find_identity(
        connection, facts.owner_id, workspace_id=LIVE if facts.workspace_id is None else facts.workspace_id
    )


def refuse_offer(
    runtime: Runtime, name: str, configuration: ConfigurationFacts | None, identity: Identity | None
) -> Refused | None:
    """The offer gate: registered, administrator-only, groups, excluded tools (RT-03, RT-06, DW-19)."""
    if configuration is None:
        return Refused(rule=OFFER, reason=CONFIGURATION_GONE)
    reason = runtime.registry.reason_not_offered(name, configuration, identity)
    return None if reason is None else Refused(rule=OFFER, reason=reason)


def refuse_arguments(call: Call, tool: Tool) -> Refused | None:
    """Unknown or unsuitable arguments refuse the whole call (I24)."""
    if call.arguments is None:
        return Refused(rule=ARGUMENTS, reason=call.invalid or "invalid")
    found = read_arguments(call.arguments_text, tool.parameters)
    return None if isinstance(found, Accepted) else Refused(rule=ARGUMENTS, reason=found.reason)


def refuse_owner(facts: RunFacts, acting: Identity | None) -> Refused | None:
    """A call needs an acting user who may use the recorded workspace; never a fall-back to another one."""
    if acting is None:
        return Refused(rule=OWNER, reason="no_acting_user")
    if acting.workspace_id != (facts.workspace_id or LIVE):
        return Refused(rule=OWNER, reason="workspace_unavailable")
    return None


def refuse_approver(
    connection: Connection,
    runtime: Runtime,
    facts: RunFacts,
    configuration: ConfigurationFacts,
    tool: str,
    approver_id: int,
) -> Refused | None:
    """The approver gate for one write: four eyes, the right to decide, the offer gate (RT-06, RT-07, I11).

    For deciding and for executing alike. Rights on the record are the owner's alone.
    """
    if configuration.requires_second_approver and approver_id == facts.owner_id:
        return Refused(rule=APPROVER, reason="second_approver")
    approver = find_identity(connection, approver_id)
    if approver is None:
        return Refused(rule=APPROVER, reason="unavailable")
    if approver_id != facts.owner_id and not approver.may(GRANT_APPROVE):
        return Refused(rule=APPROVER, reason="no_grant")
    refused = refuse_offer(runtime, tool, configuration, approver)
    return None if refused is None else Refused(rule=APPROVER, reason=refused.reason)


def ask_rules_early(
    connection: Connection,
    runtime: Runtime,
    facts: RunFacts,
    configuration: ConfigurationFacts,
    tool: Tool,
    call: Call,
    acting: Identity | None,
) -> Refused | None:
    """The rules' answer before the card. A failure of the policy is no refusal: the call waits and is asked again
    (DW-11).
    """
    context = _context(connection, runtime, facts, configuration, tool, call, acting)
    with sealed():
        found = runtime.policy.decide_before_approval(context)
    return found if isinstance(found, Refused) and not found.is_failure else None


def ask_rules(
    connection: Connection,
    runtime: Runtime,
    facts: RunFacts,
    configuration: ConfigurationFacts,
    tool: Tool,
    call: Call,
    acting: Identity | None,
) -> Refused | None:
    """The rules' decision right before a call runs; a failure refuses too (DW-12, I12)."""
    context = _context(connection, runtime, facts, configuration, tool, call, acting)
    if runtime.policy.reads_history(configuration):
        context = replace(context, history=find_history(connection, facts.uuid, runtime.cipher))
    with sealed():
        found = runtime.policy.decide(context)
    if not isinstance(found, Refused):
        return None
    named = named_explanation(connection, found.rule, configuration, acting) if acting is not None else None
    return replace(found, explanation=named or found.explanation)


def _context(
    connection: Connection,
    runtime: Runtime,
    facts: RunFacts,
    configuration: ConfigurationFacts,
    tool: Tool,
    call: Call,
    acting: Identity | None,
) -> InvocationContext:
    arguments = call.arguments or {}
    places = None
    if tool.facts.is_write and runtime.policy.reads_places(configuration):
        places = find_places(connection, acting, facts.workspace_id or LIVE, tool.facts.name, arguments)
    return InvocationContext(
        tool=tool.facts,
        arguments=arguments,
        configuration=configuration,
        acting=acting,
        recorded_workspace=facts.workspace_id,
        targets=named_targets(arguments),
        places=places,
    )
