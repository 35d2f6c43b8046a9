"""Driving assignments in tests: a conversation, a scripted proposal, a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.agent import approvals
from app.agent.approvals import DecisionResult
from app.agent.draining import RecordingDispatcher
from app.agent.llm.base import ModelTurn
from app.agent.llm.scripted import ScriptedModel, call_turn, text_turn
from app.agent.runtime import Runtime
from app.chat import changes, pages, readers, service
from app.chat.approval_card import read_card
from app.chat.view_models import ApprovalCardView, ChangeListView
from app.core.db import reading, transaction
from tests.support.personas import IdentityOf

Call = tuple[str, Mapping[str, Any]]
DONE = text_turn("Done, as reported.")


class Assignments:
    """One conversation of ``owner`` whose model does what the test scripts."""

    def __init__(
        self,
        runtime: Runtime,
        dispatcher: RecordingDispatcher,
        models: Any,
        identity_of: IdentityOf,
        *,
        owner: str = "anna",
        configuration: str = "Editorial",
    ) -> None:
        self.runtime, self.dispatcher, self.identity_of, self.owner = runtime, dispatcher, identity_of, owner
        self._models = models
        self._sent = 0
        self.id = service.create_conversation(identity_of(owner), self._configuration(configuration))
        self.model = ScriptedModel([])

    def _configuration(self, name: str) -> int:
        from app.agent.configurations import find_configuration_named

        with reading() as connection:
            found = find_configuration_named(connection, name)
        assert found is not None
        return found.id

    def ask(self, *turns: ModelTurn | Sequence[Call], workspace: int | None = None, body: str = "Please help.") -> None:
        """Send a message; ``turns`` are what the model answers in order, calls or whole turns."""
        script = [turn if isinstance(turn, ModelTurn) else call_turn(*turn) for turn in turns]
        self.model = ScriptedModel(script)
        self._models.by_name["builtin"] = self.model
        self._sent += 1
        identity = self.identity_of(self.owner, workspace)
        service.send_message(identity, self.id, body, f"token-{self._sent}", self.runtime)
        self.work()

    def work(self) -> None:
        """Let workers finish what is queued."""
        self.dispatcher.drain(self.runtime)

    @property
    def run_uuid(self) -> str:
        """The newest run."""
        view = self.page().view
        assert view.run_uuid is not None
        return view.run_uuid

    def page(self, viewer: str | None = None) -> pages.ConversationPage:
        """The conversation as somebody sees it."""
        with reading() as connection:
            return pages.read_conversation(connection, self.identity_of(viewer or self.owner), self.id, self.runtime)

    def card(self, viewer: str | None = None, number: int | None = None) -> ApprovalCardView:
        """A card of the newest run as somebody sees it."""
        with reading() as connection:
            identity = self.identity_of(viewer or self.owner)
            return read_card(connection, identity, self.run_uuid, self.runtime, card=number)

    def decide(
        self,
        *,
        approve: bool = True,
        by: str | None = None,
        digest: str | None = None,
        token: str = "",
        reason: str = "",
        work: bool = True,
    ) -> DecisionResult:
        """Decide the waiting card and let workers go on."""
        actor = self.identity_of(by or self.owner)
        served = self.card().digest if digest is None else digest
        result = approvals.decide(
            actor,
            self.run_uuid,
            approve=approve,
            digest=served,
            token=token or f"press-{self._sent}-{by}-{approve}",
            reason=reason,
            runtime=self.runtime,
        )
        if work:
            self.work()
        return result

    def changes(self, viewer: str | None = None) -> ChangeListView:
        """The list of changes as somebody sees it."""
        with reading() as connection:
            identity = self.identity_of(viewer or self.owner)
            return changes.read_changes(connection, identity, self.id, site_name="Town Museum")

    def share(self, *names: str) -> None:
        """Let people read the conversation."""
        with transaction() as connection:
            for name in names:
                readers.share_conversation(connection, self.id, name)


def facts_of(view: ChangeListView) -> list[dict[str, Any]]:
    """The records of a list as data."""
    return [
        {"table": record.table, "uid": record.uid, **{fact.name: fact.value for fact in record.facts}}
        for record in view.records
    ]


def notes_of(view: ChangeListView) -> dict[str, int]:
    """The notes of a list with their numbers."""
    return {note.name: note.count for note in view.notes}
