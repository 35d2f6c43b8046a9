"""Assignments for measuring: a conversation whose model asks for one call a turn, driven in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.agent import approvals
from app.agent.llm.base import Message, ModelSettings, ModelTurn, ToolMessage, ToolSpec
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.run_rows import find_run
from app.agent.types import RunStatus
from app.agent.worker import execute_run
from app.chat import service
from app.cli.bench.place import Place
from app.core.db import reading
from app.policy.identity import LIVE


class AskingModel:
    """Asks for ``calls`` calls, one a turn, then says that it is done; counts results in its messages as peers' fakes do."""

    def __init__(self, calls: int, tool: str, arguments: Callable[[int], Mapping[str, Any]]) -> None:
        self._calls, self._tool, self._arguments = calls, tool, arguments

    def respond(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        settings: ModelSettings,
        *,
        on_text: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> ModelTurn:
        """See ``LanguageModel``."""
        done = sum(isinstance(message, ToolMessage) for message in messages)
        return call_turn((self._tool, self._arguments(done))) if done < self._calls else text_turn("done")


class Assignment:
    """One conversation of the editor in live and its newest run."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._actor = place.identity(LIVE)
        self.conversation_id = service.create_conversation(self._actor, None)
        self.run_uuid = ""

    def send(self, model: AskingModel) -> None:
        """Send a message; its run is queued and ``model`` will answer it."""
        self._place.stage.model = model
        service.send_message(self._actor, self.conversation_id, "go", "", self._place.runtime)
        self.run_uuid = self._place.dispatcher.woken.pop()

    def work(self) -> None:
        """Execute the run to its next pause or its end."""
        execute_run(self.run_uuid, self._place.runtime)

    def approve(self) -> bool:
        """Approve the waiting card; False when none waits."""
        with reading() as connection:
            card = approvals.find_card(connection, self.run_uuid)
        if card is None:
            return False
        token = f"{self.run_uuid[:8]}/{card.turn}/{card.revision}"
        decided = approvals.decide(
            self._actor,
            self.run_uuid,
            approve=True,
            digest=card.digest,
            token=token,
            reason="",
            runtime=self._place.runtime,
        )
        return decided.kind is approvals.DecisionKind.RECORDED

    @property
    def status(self) -> RunStatus:
        """Where the run stands."""
        with reading() as connection:
            run = find_run(connection, self.run_uuid)
        if run is None:
            raise LookupError(self.run_uuid)
        return run.status

    def require_completed(self) -> None:
        """Raise ``ValueError`` when the run did not end well: then there is nothing to time."""
        if self.status is not RunStatus.COMPLETED:
            msg = f"the run is {self.status.value}"
            raise ValueError(msg)
