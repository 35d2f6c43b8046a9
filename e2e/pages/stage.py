"""What happens behind the page: conversations, runs and news made on the server, so that a check of the page starts at once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sqlalchemy import update

from app.agent import approvals
from app.agent.configurations import find_configuration_named
from app.agent.llm.base import ModelTurn
from app.agent.llm.scripted import ScriptedModel, call_turn
from app.agent.worker import start_workers
from app.chat import service, store
from app.chat.approval_card import read_card
from app.content import models
from app.core import ids
from app.core.db import reading, transaction
from app.policy.identity import Identity
from e2e.conftest import Server
from tests.support.personas import IdentityOf

Call = tuple[str, Mapping[str, Any]]
LISTENING = "awaiting_input"
"""A status in which the page polls, and only rarely by itself."""
PAGE = models.Page.__table__


class Stage:
    """The server's side of a check; everything is done as somebody of the demo."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def identity(self, username: str) -> Identity:
        """Somebody with the rights they have now."""
        return IdentityOf(self._server.site)(username)

    def conversation(self, username: str = "anna", configuration: str = "Editorial", **values: Any) -> int:
        """A conversation; ``values`` are columns of it, for example ``status``."""
        with self._server.app.app_context():
            with reading() as connection:
                found = find_configuration_named(connection, configuration)
            assert found is not None
            number = service.create_conversation(self.identity(username), found.id)
            if values:
                self._change(number, values)
            return number

    def change(self, conversation_id: int, **values: Any) -> None:
        """Other values of a conversation; its version rises, so the next poll brings something."""
        with self._server.app.app_context():
            self._change(conversation_id, values)

    def _change(self, conversation_id: int, values: Mapping[str, Any]) -> None:
        with transaction() as connection:
            store.change_conversation(connection, conversation_id, values)

    def say(
        self, conversation_id: int, body: str, *, role: str = "assistant", language: str = "", **values: Any
    ) -> None:
        """A further entry of the history."""
        with self._server.app.app_context(), transaction() as connection:
            row = store.find_conversation(connection, conversation_id)
            assert row is not None
            seq = row["last_seq"] + 1
            store.add_message(connection, conversation_id, seq, {"role": role, "body": body, "language": language})
            store.change_conversation(connection, conversation_id, {"last_seq": seq, **values})

    def report_changes(self, conversation_id: int) -> None:
        """The list of changes has another version."""
        with self._server.app.app_context(), transaction() as connection:
            row = store.find_conversation(connection, conversation_id)
            assert row is not None
            version = row["changes_version"] + 1
            store.change_conversation(connection, conversation_id, {"changes_version": version})

    def ask(self, conversation_id: int, body: str, username: str = "anna") -> str:
        """Send a message and wait until the assistant has answered or proposed; returns the status reached."""
        runtime = self._server.app.extensions["imprimatur"].runtime
        with self._server.app.app_context():
            service.send_message(self.identity(username), conversation_id, body, ids.new_token(), runtime)
        return self.settled(conversation_id)

    def ask_now(self, conversation_id: int, body: str, username: str = "anna") -> str:
        """As ``ask``, in a conversation that only looks as if it waited."""
        self.change(conversation_id, status="idle")
        return self.ask(conversation_id, body, username)

    def settled(self, conversation_id: int) -> str:
        """The status once nothing is worked on any more."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with self._server.app.app_context(), reading() as connection:
                row = store.find_conversation(connection, conversation_id)
            if row is not None and row["status"] != "working":
                return str(row["status"])
            time.sleep(0.03)
        raise AssertionError("the assignment does not end")

    def decide(self, conversation_id: int, *, by: str = "anna", approve: bool = True, waits: bool = True) -> None:
        """Decide the waiting card, and wait for what follows."""
        runtime = self._server.app.extensions["imprimatur"].runtime
        with self._server.app.app_context():
            identity = self.identity(by)
            with reading() as connection:
                row = store.find_conversation(connection, conversation_id)
                assert row is not None
                card = read_card(connection, identity, row["run_uuid"], runtime)
            approvals.decide(
                identity,
                card.run_uuid,
                approve=approve,
                digest=card.digest,
                token=ids.new_token(),
                reason="",
                runtime=runtime,
            )
        if waits:
            self.settled(conversation_id)

    def script(self, *turns: ModelTurn | Sequence[Call]) -> None:
        """From now on the assistant answers with ``turns`` in order."""
        model = ScriptedModel([turn if isinstance(turn, ModelTurn) else call_turn(*turn) for turn in turns])
        runtime = replace(self._server.app.extensions["imprimatur"].runtime, make_model=lambda _name: model)
        self._server._workers.stop()
        self._server._workers = start_workers(self._server.app, runtime, 1)

    @contextmanager
    def nobody_works(self) -> Iterator[None]:
        """Meanwhile assignments wait in the queue."""
        self._server._workers.stop()
        yield
        runtime = self._server.app.extensions["imprimatur"].runtime
        self._server._workers = start_workers(self._server.app, runtime, 1)

    def rename(self, page: str, title: str) -> None:
        """Give a page of the demo another title in the database: whatever the text, as older data may hold it."""
        uid = self._server.site.pages[page]
        with self._server.app.app_context(), transaction() as connection:
            connection.execute(update(PAGE).where(PAGE.c.uid == uid).values(title=title))

    def rename_everywhere(self, page: str, before: str, title: str) -> None:
        """As ``rename``, drafts included."""
        with self._server.app.app_context(), transaction() as connection:
            connection.execute(update(PAGE).where(PAGE.c.title == before).values(title=title))
        self.rename(page, title)
