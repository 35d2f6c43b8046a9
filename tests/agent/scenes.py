"""What the tests of runs share: start a run with a scripted model, look at the database, decide the card that waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from app.agent import models as tables
from app.agent.approvals import DecisionResult, decide
from app.agent.configurations import find_configuration_named
from app.agent.draining import RecordingDispatcher
from app.agent.llm.base import LanguageModel, Message, UserMessage
from app.agent.llm.scripted import ScriptedModel, ScriptStep
from app.agent.loop.segment import Pace
from app.agent.run_rows import RunView, find_run
from app.agent.runs import start_run
from app.agent.runtime import Runtime
from app.agent.store import CardRow, find_card
from app.agent.transcript import load_messages
from app.agent.worker import execute_run
from app.content.store import find_stored_row
from app.core.db import reading, transaction
from app.policy.identity import Identity

RUN = tables.Run.__table__
OUTCOME = tables.CallOutcome.__table__
GOVERNANCE = tables.GovernanceEvent.__table__
EVENT = tables.RunEvent.__table__


def no_rest(_seconds: float) -> None:
    """Waiting that does not wait."""


class Scene:
    """A runtime with a scripted model on the demo site."""

    def __init__(self, runtime: Runtime, models: Any, dispatcher: RecordingDispatcher) -> None:
        self.runtime = runtime
        self._models = models
        self._dispatcher = dispatcher
        self.model = ScriptedModel([])

    def script(self, *steps: ScriptStep, name: str = "builtin") -> ScriptedModel:
        """What the model answers from now on."""
        self.model = ScriptedModel(steps)
        self.use(self.model, name=name)
        return self.model

    def use(self, model: LanguageModel, *, name: str = "builtin") -> None:
        """Let the configuration's model name stand for ``model``."""
        self._models.by_name[name] = model

    def start(self, owner: Identity, *, configuration: str = "Editorial", words: str = "Please") -> str:
        """A queued run; nothing of it has been executed."""
        with transaction() as connection:
            found = find_configuration_named(connection, configuration)
            assert found is not None
            return start_run(
                connection,
                owner=owner,
                configuration_id=found.id,
                subject="test:1",
                messages=[UserMessage(content=words)],
                runtime=self.runtime,
            )

    def work(self) -> None:
        """Execute what is queued until nothing is."""
        self._dispatcher.drain(self.runtime)

    def execute(self, uuid: str) -> None:
        """Execute one run to its next pause."""
        execute_run(uuid, self.runtime, pace=Pace(rest=no_rest))

    def decide(
        self,
        actor: Identity,
        uuid: str,
        *,
        approve: bool = True,
        digest: str | None = None,
        token: str = "",
        reason: str = "",
    ) -> DecisionResult:
        """Decide the newest card with its own digest, or with the one given."""
        given = self.card(uuid).digest if digest is None else digest
        return decide(actor, uuid, approve=approve, digest=given, token=token, reason=reason, runtime=self.runtime)

    def card(self, uuid: str) -> CardRow:
        """The newest card."""
        with reading() as connection:
            found = find_card(connection, uuid)
        assert found is not None
        return found

    def run(self, uuid: str) -> RunView:
        """The run as stored."""
        with reading() as connection:
            found = find_run(connection, uuid)
        assert found is not None
        return found

    def outcomes(self, uuid: str) -> dict[int, tuple[str, str]]:
        """State and code by ordinal, of the newest turn that has outcomes."""
        with reading() as connection:
            rows = connection.execute(select(OUTCOME).where(OUTCOME.c.run_uuid == uuid)).mappings().all()
        return {row["ordinal"]: (row["state"], row["code"]) for row in rows}

    def governance(self, uuid: str) -> list[tuple[str, str, str]]:
        """(decision, rule, reason) in order."""
        with reading() as connection:
            rows = connection.execute(select(GOVERNANCE).where(GOVERNANCE.c.run_uuid == uuid).order_by(GOVERNANCE.c.id))
            return [(row["decision"], row["rule"], row["reason"]) for row in rows.mappings().all()]

    def kinds(self, uuid: str) -> list[str]:
        """Kinds of the run's events in order."""
        with reading() as connection:
            rows = connection.execute(select(EVENT.c.kind).where(EVENT.c.run_uuid == uuid).order_by(EVENT.c.seq))
            return [str(kind) for kind in rows.scalars().all()]

    def transcript(self, uuid: str) -> tuple[Message, ...]:
        """What the model saw and wrote."""
        with reading() as connection:
            return load_messages(connection, self.runtime.cipher, uuid)

    def row(self, table: str, uid: int) -> Mapping[str, Any]:
        """A record as stored."""
        with reading() as connection:
            found = find_stored_row(connection, table, uid)
        assert found is not None
        return found.values
