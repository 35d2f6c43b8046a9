"""What the conversation page, its list and its poll show one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import store as accounts
from app.agent import configurations, runs
from app.agent.budgets import requests_left
from app.agent.card_reading import list_cards
from app.agent.explaining import shown_branch_title
from app.agent.run_rows import RunView
from app.agent.runtime import Runtime
from app.agent.types import RunStatus
from app.chat import links, run_record, store
from app.chat.approval_card import read_card
from app.chat.start_notes import StartView, start_view
from app.chat.statements import statement_view
from app.chat.status import RETRYABLE, poll_seconds, status_detail, status_label
from app.chat.view_models import ConversationLinkView, ConversationView, MessageView
from app.core import clock
from app.core.errors import NotFound
from app.core.i18n import Text, text
from app.policy.identity import LIVE, Identity

RUNS_WITH_STATES = 3
"""How many of the newest runs with cards a poll says the state of."""
_COLUMNS = store.CONVERSATION.c
_NEWEST = select(_COLUMNS.version, _COLUMNS.last_seq).where(  # built once: the poll asks nothing else (perf.md P2)
    _COLUMNS.id == bindparam("conversation"), _COLUMNS.owner_id == bindparam("owner"), _COLUMNS.deleted.is_(False)
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationPage:
    """A whole conversation, cards included."""

    view: ConversationView
    messages: tuple[MessageView, ...]
    start: StartView | None = None
    """What the configuration demands, for the owner of a conversation without any message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardState:
    """Where a card stands: enough for a page to know whether its own copy is old."""

    dom_id: str
    url: str
    state: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Updates:
    """What is new since a poll's last answer; cards come as empty places with an address (D15b)."""

    view: ConversationView
    messages: tuple[MessageView, ...]
    cards: tuple[CardState, ...]


def is_unchanged(connection: Connection, user_id: int, conversation_id: int, after: int, version: int | None) -> bool:
    """Whether nothing is new in the person's own conversation: the whole cost of a poll that brings nothing (P1).

    ``version`` is what the page shows; a caller that does not know it (None) is told of new entries only.
    """
    row = connection.execute(_NEWEST, {"conversation": conversation_id, "owner": user_id}).first()
    return row is not None and _is_old(row.version, row.last_seq, after, version)


def _is_old(stored_version: int, last_seq: int, after: int, version: int | None) -> bool:
    return last_seq <= after and version in (None, stored_version)


def read_conversation(
    connection: Connection, identity: Identity, conversation_id: int, runtime: Runtime
) -> ConversationPage:
    """A conversation for its owner or a reader. Raises ``NotFound`` for everybody else."""
    row = _row(connection, identity, conversation_id)
    view = _view(connection, identity, row)
    messages = _messages(connection, identity, row, 0, runtime)
    start = _start(connection, identity, row, runtime) if view.is_own and not view.last_seq else None
    return ConversationPage(view=view, messages=messages, start=start)


def _start(connection: Connection, identity: Identity, row: RowMapping, runtime: Runtime) -> StartView | None:
    configuration = configurations.find_configuration(connection, row["configuration_id"])
    title = None
    if configuration is not None and configuration.branch_page:
        title = shown_branch_title(connection, configurations.facts_of(configuration), identity)
    left = None
    if configuration is not None:
        left = requests_left(connection, identity.user_id, configuration.id, runtime.settings)
    return start_view(configuration, identity, runtime.registry, title, left)


def read_updates(
    connection: Connection, identity: Identity, conversation_id: int, after: int, version: int | None, runtime: Runtime
) -> Updates | None:
    """What is new after entry ``after``; None when the conversation still has ``version``, for readers too."""
    row = _row(connection, identity, conversation_id)
    if _is_old(row["version"], row["last_seq"], after, version):
        return None
    messages = _messages(connection, identity, row, max(0, after), runtime, with_cards=False)
    return Updates(view=_view(connection, identity, row), messages=messages, cards=_card_states(connection, row))


def _row(connection: Connection, identity: Identity, conversation_id: int) -> RowMapping:
    row = store.find_readable(connection, conversation_id, identity.user_id, identity.group_ids)
    if row is None:
        raise NotFound(f"conversation {conversation_id}")
    return row


def _card_states(connection: Connection, row: RowMapping) -> tuple[CardState, ...]:
    """Cards of the newest runs that have any: a message sent with a decline settles the card of the run before."""
    return tuple(
        CardState(
            dom_id=links.card_dom_id(card.run_uuid, number),
            url=links.card_url(card.run_uuid, number),
            state=card.state.value,
        )
        for uuid in store.list_card_runs(connection, row["id"], limit=RUNS_WITH_STATES)
        for number, card in enumerate(list_cards(connection, uuid), start=1)
    )


def _view(connection: Connection, identity: Identity, row: RowMapping) -> ConversationView:
    is_own = row["owner_id"] == identity.user_id
    configuration = configurations.find_configuration(connection, row["configuration_id"])
    run = runs.find_run(connection, row["run_uuid"]) if row["run_uuid"] else None
    may_decide = run is not None and runs.may_act_on_turn(identity, run)
    waiting = row["status"] == "awaiting_approval"
    waits_until = _waits_until(run)
    cards = list_cards(connection, row["run_uuid"]) if waiting and row["run_uuid"] else ()
    entries = run_record.decode(row["run_record"])
    return ConversationView(
        id=row["id"],
        title=row["title"] or text("New conversation"),
        is_own=is_own,
        owner_name=_owner_name(connection, identity, row["owner_id"]),
        configuration=configuration.name if configuration else "",
        status=row["status"],
        status_label=status_label(
            row["status"], may_decide=may_decide, has_run=row["run_uuid"] is not None, waits_until=waits_until
        ),
        status_detail=status_detail(row["error"], run.error if run else "") if row["status"] == "failed" else None,
        run_uuid=row["run_uuid"],
        card_id=links.card_dom_id(row["run_uuid"], len(cards)) if cards else None,
        has_changes=row["changes_version"] > 0 or run_record.has_changes(entries),
        changes_version=row["changes_version"],
        version=row["version"],
        last_seq=row["last_seq"],
        poll_seconds=poll_seconds(row["status"], clock.now() - row["status_since"], is_waiting=waits_until > 0),
        may_send=is_own,
        may_retry=is_own and row["status"] == "failed" and row["error"] in RETRYABLE,
        may_stop=is_own and row["status"] in ("working", "awaiting_approval", "awaiting_input"),
        draft=store.find_draft(connection, row["id"], identity.user_id) if is_own else "",
        writes_to=_writes_to(identity) if is_own else None,
        is_pinned=bool(row["pinned"]),
        is_archived=bool(row["archived"]),
    )


def _waits_until(run: RunView | None) -> int:
    """When the newest run goes on whose provider asked to wait; 0 = it does not wait for one."""
    return run.resume_at if run is not None and run.status is RunStatus.WAITING_FOR_PROVIDER else 0


def _owner_name(connection: Connection, identity: Identity, owner_id: int) -> str:
    if owner_id == identity.user_id:
        return identity.name
    return accounts.names_of(connection, [owner_id]).get(owner_id, "?")


def _writes_to(identity: Identity) -> Text:
    if identity.workspace_id is None:
        return text("Your workspace is not available any more. Choose another one before you send.")
    if identity.workspace_id == LIVE:
        return text("Writes will be proposed for live.")
    title = identity.workspaces[identity.workspace_id]
    return text("Writes will be proposed for the draft workspace “%(title)s”.", title=title)


def _messages(
    connection: Connection,
    identity: Identity,
    row: RowMapping,
    after: int,
    runtime: Runtime,
    *,
    with_cards: bool = True,
) -> tuple[MessageView, ...]:
    rows = store.list_messages(connection, row["id"], after)
    numbers = _card_numbers(connection, rows)
    author = _author(connection, identity, row["owner_id"])
    return tuple(
        _message(connection, identity, message, author, numbers, runtime, with_cards=with_cards) for message in rows
    )


def _author(connection: Connection, identity: Identity, owner_id: int) -> Text | str:
    return text("You") if owner_id == identity.user_id else _owner_name(connection, identity, owner_id)


def _card_numbers(connection: Connection, rows: Sequence[RowMapping]) -> dict[tuple[str, int, int], int]:
    numbers = {}
    for uuid in dict.fromkeys(row["run_uuid"] for row in rows if row["role"] == "card"):
        for number, card in enumerate(list_cards(connection, uuid), start=1):
            numbers[uuid, card.turn, card.revision] = number
    return numbers


def _message(
    connection: Connection,
    identity: Identity,
    row: RowMapping,
    author: Text | str,
    numbers: dict[tuple[str, int, int], int],
    runtime: Runtime,
    *,
    with_cards: bool,
) -> MessageView:
    number = numbers.get((row["run_uuid"], row["turn"], row["revision"])) if row["role"] == "card" else None
    card = None
    if number is not None and with_cards:
        card = read_card(connection, identity, row["run_uuid"], runtime, card=number)
    return MessageView(
        seq=row["seq"],
        role=row["role"],
        author=author if row["role"] == "user" else text("AI assistant"),
        at=row["at"],
        body=row["body"],
        language=row["language"] or None,
        card=card,
        card_id=None if number is None else links.card_dom_id(row["run_uuid"], number),
        card_url=None if number is None else links.card_url(row["run_uuid"], number),
        statement=statement_view(row["reported"]),
    )


def list_conversations(
    connection: Connection, identity: Identity, current_id: int | None = None, *, archived: bool = False
) -> tuple[ConversationLinkView, ...]:
    """The conversations a person may read, or those in the archive: pinned first, then the newest."""
    return tuple(
        ConversationLinkView(
            id=row["id"],
            title=row["title"] or text("New conversation"),
            status=status_label(
                row["status"], may_decide=row["owner_id"] == identity.user_id, has_run=row["run_uuid"] is not None
            ),
            touched_at=row["touched_at"],
            is_current=row["id"] == current_id,
            is_pinned=bool(row["pinned"]),
            is_own=row["owner_id"] == identity.user_id,
        )
        for row in store.list_readable(connection, identity.user_id, identity.group_ids, archived=archived)
    )


def find_newest(connection: Connection, identity: Identity) -> int | None:
    """The person's own newest conversation."""
    own = [view for view in list_conversations(connection, identity) if view.is_own]
    return max(own, key=lambda view: view.touched_at).id if own else None
