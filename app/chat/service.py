"""Use cases of conversations: create, send, try again, stop, rename, pin, archive, keep a draft."""

from __future__ import annotations

from sqlalchemy.engine import Connection, RowMapping

from app.accounts import limits
from app.agent import approvals, configurations, runs
from app.agent.approvals import DecisionKind
from app.agent.runtime import Runtime
from app.chat import store
from app.chat.news import subject_of
from app.chat.prompting import messages_for_run
from app.chat.status import RETRYABLE
from app.core import clock
from app.core.db import reading, transaction
from app.core.errors import Conflict, Forbidden, Invalid, NotFound
from app.core.i18n import ntext, text
from app.policy.identity import Identity

TITLE_LENGTH = 255
TITLE_SHOWN = 80
TOKEN_LENGTH = 80
BUSY = ("working",)
WAITING = ("awaiting_approval", "awaiting_input")


def create_conversation(identity: Identity, configuration: int | None) -> int:
    """Start an empty conversation with a configuration (default: "Editorial", else the first usable one); returns its number.

    Raises ``Forbidden`` for people who may not use any, ``Invalid`` for one they may not use.
    """
    with transaction() as connection:
        usable = configurations.list_usable_configurations(connection, identity)
        if not usable:
            raise Forbidden("no configuration", text=text("You may not use the AI assistant."))
        if configuration is None:
            chosen = next((found for found in usable if found.name == "Editorial"), usable[0])
        else:
            matching = [found for found in usable if found.id == configuration]
            if not matching:
                raise Invalid("configuration", fields={"configuration": text("Choose a configuration from the list.")})
            chosen = matching[0]
        return store.add_conversation(connection, identity.user_id, chosen.id)


def send_message(identity: Identity, conversation_id: int, body: str, token: str, runtime: Runtime) -> int:
    """Store a message and start a run; returns the number of the message. The same ``token`` again is the same message (I26).

    Raises ``NotFound`` for a conversation that is not the person's own, ``Invalid`` with the field ``body``, ``Conflict`` while an
    assignment is in progress or a card waits, ``TooMany`` above the limits.
    """
    words = body.strip()
    with transaction() as connection:
        row = _lock(connection, conversation_id, identity)
        earlier = store.find_token(connection, conversation_id, token[:TOKEN_LENGTH]) if token else None
        if earlier is not None:
            return earlier
        _check_body(words, runtime.settings.message_length)
        _check_free(row)
        _count(connection, identity, runtime)
        seq = _store(connection, row, identity, words, token[:TOKEN_LENGTH])
        uuid = _start(connection, row, identity, runtime)
    runtime.wake(uuid)
    return seq


def retry_assignment(identity: Identity, conversation_id: int, token: str, runtime: Runtime) -> None:
    """Try the newest message again in a new run, after its assignment failed because of the provider (F27).

    The new run is told what the failed one reported as written, and a step that one carried out is not repeated (RT-12).
    The same ``token`` again changes nothing. Raises ``NotFound`` for a conversation that is not the person's own,
    ``Conflict`` when there is nothing to try again, ``TooMany`` above the limits.
    """
    key = f"retry-{token}"[:TOKEN_LENGTH] if token else ""
    with transaction() as connection:
        row = _lock(connection, conversation_id, identity)
        if key and store.find_token(connection, conversation_id, key) is not None:
            return
        failed = row["run_uuid"] if row["status"] == "failed" and row["error"] in RETRYABLE else None
        if failed is None:
            raise Conflict(f"conversation {conversation_id}", text=text("There is no failed assignment to try again."))
        _count(connection, identity, runtime)
        if key:
            store.add_token(connection, conversation_id, key, row["last_seq"])
        values = {"status": "working", "status_since": clock.now(), "error": "", "run_uuid": None}
        store.change_conversation(connection, conversation_id, values)
        uuid = _start(connection, row, identity, runtime, retry_of=failed)
    runtime.wake(uuid)


def _count(connection: Connection, identity: Identity, runtime: Runtime) -> None:
    _check_rate(connection, identity, runtime)
    limits.count_attempt(connection, "message", str(identity.user_id))


def _check_rate(connection: Connection, identity: Identity, runtime: Runtime) -> None:
    most = runtime.settings.messages_per_minute
    limits.check_limit(connection, "message", str(identity.user_id), most=most, seconds=60)


def _store(connection: Connection, row: RowMapping, identity: Identity, words: str, token: str) -> int:
    seq = int(row["last_seq"]) + 1
    if token:
        store.add_token(connection, row["id"], token, seq)
    store.add_message(connection, row["id"], seq, {"role": "user", "body": words})
    store.save_draft(connection, row["id"], identity.user_id, "")
    now = clock.now()
    values = {
        "last_seq": seq,
        "touched_at": now,
        "status_since": now,
        "status": "working",
        "error": "",
        "run_uuid": None,
    }
    if not row["title"]:
        values["title"] = title_from(words)
    store.change_conversation(connection, row["id"], values)
    return seq


def _start(
    connection: Connection, row: RowMapping, identity: Identity, runtime: Runtime, *, retry_of: str | None = None
) -> str:
    configuration = configurations.find_configuration(connection, row["configuration_id"])
    if configuration is None:
        sentence = text("The configuration of this conversation does not exist any more.")
        raise Conflict("configuration", text=sentence)
    uuid = runs.start_run(
        connection,
        owner=identity,
        configuration_id=configuration.id,
        subject=subject_of(row["id"]),
        messages=messages_for_run(
            connection,
            identity,
            configuration,
            row["id"],
            row["run_record"],
            runtime,
            is_retry=retry_of is not None,
        ),
        runtime=runtime,
        retry_of=retry_of,
    )
    store.change_conversation(connection, row["id"], {"run_uuid": uuid})
    return uuid


def _lock(connection: Connection, conversation_id: int, identity: Identity) -> RowMapping:
    row = store.lock_own(connection, conversation_id, identity.user_id)
    if row is None:
        raise NotFound(f"conversation {conversation_id}")
    return row


def _check_body(words: str, longest: int) -> None:
    if not words:
        raise Invalid("message", fields={"body": text("Enter a message")})
    if "\x00" in words or any(0xD800 <= ord(sign) <= 0xDFFF for sign in words):
        raise Invalid("message", fields={"body": text("The message contains a character that cannot be stored.")})
    if longest and len(words) > longest:
        raise Invalid(
            "message",
            fields={
                "body": ntext(
                    "The message has %(n)s character too many",
                    "The message has %(n)s characters too many",
                    len(words) - longest,
                )
            },
        )


class CardWaits(Conflict):
    """A message cannot be sent while a card waits; the page offers to decline it and send."""

    text = text("An approval is waiting in this conversation. Decide it first, or decline it and send the message.")


def _check_free(row: RowMapping) -> None:
    if row["status"] in WAITING:
        raise CardWaits(f"conversation {row['id']}")
    if row["status"] in BUSY:
        raise Conflict(
            f"conversation {row['id']}",
            text=text("The AI assistant is still working on your last message. Wait for its answer or stop it first."),
        )


def decline_and_send(
    identity: Identity, conversation_id: int, body: str, token: str, runtime: Runtime, *, reason: str = ""
) -> int:
    """Decline the waiting card with ``reason``, end its run, and send ``body``; returns the number of the message.

    The same ``token`` again is the same message and declines nothing (I26). Nothing is declined when the message is refused
    for its text or above the limits. Raises as ``send_message``; ``Conflict`` also when the card was approved meanwhile.
    """
    _check_body(body.strip(), runtime.settings.message_length)
    with reading() as connection:
        row = store.find_readable(connection, conversation_id, identity.user_id, ())
        if row is None or row["owner_id"] != identity.user_id:
            raise NotFound(f"conversation {conversation_id}")
        earlier = store.find_token(connection, conversation_id, token[:TOKEN_LENGTH]) if token else None
        if earlier is not None:
            return earlier
        _check_rate(connection, identity, runtime)
    uuid = row["run_uuid"]
    if uuid is not None and row["status"] in WAITING:
        if row["status"] == "awaiting_approval":
            _decline(identity, uuid, f"send-{token}"[:TOKEN_LENGTH], reason, runtime)
        _leave_run(identity, conversation_id, uuid, runtime)
    return send_message(identity, conversation_id, body, token, runtime)


def _decline(identity: Identity, uuid: str, token: str, reason: str, runtime: Runtime) -> None:
    """Decline the newest card of a run. What has ended meanwhile needs no decline; what was approved is not stopped."""
    with reading() as connection:
        card = approvals.find_card(connection, uuid)
    if card is None:
        return
    result = approvals.decide(
        identity, uuid, approve=False, digest=card.digest, token=token, reason=reason, runtime=runtime
    )
    if result.kind is DecisionKind.ALREADY_DECIDED and result.approved:
        raise Conflict(f"run {uuid}", text=text("The approval was given meanwhile. Nothing was declined or sent."))
    if result.kind is DecisionKind.STALE:
        raise CardWaits(f"run {uuid}")


def stop_assignment(identity: Identity, conversation_id: int, runtime: Runtime) -> bool:
    """Stop the newest run of the person's own conversation; False when it has ended already."""
    with reading() as connection:
        row = store.find_readable(connection, conversation_id, identity.user_id, ())
    if row is None or row["owner_id"] != identity.user_id:
        raise NotFound(f"conversation {conversation_id}")
    if row["run_uuid"] is None:
        return False
    return runs.cancel_run(identity, row["run_uuid"], runtime)


def _leave_run(identity: Identity, conversation_id: int, uuid: str, runtime: Runtime) -> None:
    runs.cancel_run(identity, uuid, runtime)
    with transaction() as connection:
        _lock(connection, conversation_id, identity)
        store.change_conversation(
            connection, conversation_id, {"status": "idle", "error": "", "status_since": clock.now()}
        )


def rename_conversation(identity: Identity, conversation_id: int, title: str) -> None:
    """Give the person's own conversation another title. Raises ``Invalid`` for an empty one."""
    words = " ".join(title.split())[:TITLE_LENGTH]
    if not words:
        raise Invalid("title", fields={"title": text("Enter a title")})
    _change_own(identity, conversation_id, {"title": words})


def set_pinned(identity: Identity, conversation_id: int, *, pinned: bool) -> None:
    """Pin the person's own conversation to the top of the list, or not."""
    _change_own(identity, conversation_id, {"pinned": pinned})


def set_archived(identity: Identity, conversation_id: int, *, archived: bool) -> None:
    """Take the person's own conversation out of the list, or back. Raises ``Conflict`` while it works or waits."""
    with transaction() as connection:
        row = _lock(connection, conversation_id, identity)
        if archived and row["status"] in (*BUSY, *WAITING):
            raise Conflict("archive", text=text("Stop the assignment or decide the approval before archiving."))
        store.change_conversation(connection, conversation_id, {"archived": archived})


def keep_draft(identity: Identity, conversation_id: int, body: str, runtime: Runtime) -> None:
    """Keep text that was typed and not sent."""
    with transaction() as connection:
        _lock(connection, conversation_id, identity)
        store.save_draft(connection, conversation_id, identity.user_id, body[: runtime.settings.message_length * 2])


def _change_own(identity: Identity, conversation_id: int, values: dict[str, object]) -> None:
    with transaction() as connection:
        _lock(connection, conversation_id, identity)
        store.change_conversation(connection, conversation_id, values)


def title_from(words: str) -> str:
    """The title a first message gives: one line, cut at a word."""
    line = " ".join(words.split())
    if len(line) <= TITLE_SHOWN:
        return line
    cut = line[:TITLE_SHOWN].rsplit(" ", 1)[0] or line[:TITLE_SHOWN]
    return f"{cut} …"
