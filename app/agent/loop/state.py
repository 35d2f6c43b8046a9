"""Where a run stands, read from the database before each step, and the step that follows from it.

A worker keeps nothing between two steps. Whoever takes over after a crash finds the same next step (F1 to F10).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from sqlalchemy.engine import Connection

from app.accounts.service import find_identity
from app.agent.configurations import ConfigurationView, facts_of, find_configuration
from app.agent.llm.base import AssistantMessage
from app.agent.run_rows import RunView
from app.agent.runtime import Runtime
from app.agent.store import CardRow, DecisionRow, find_card, find_decision, find_outcomes, load_calls, load_previews
from app.agent.transcript import last_message
from app.agent.types import Call, Outcome, Preview, RunFacts, TurnState
from app.policy.identity import LIVE, Identity


class Step(Enum):
    """What a worker does next."""

    NO_CONFIGURATION = auto()
    NO_OWNER = auto()
    CLOSE = auto()
    """The model was asked as often as it may be."""
    ASK = auto()
    EXAMINE = auto()
    """A fresh turn: does it wait for a decision?"""
    CARRY_OUT = auto()
    """A turn that needs no decision."""
    RESUME = auto()
    """A turn a person approved."""
    DECLINE = auto()
    """A turn a person declined."""
    REPORT = auto()
    """Every call has its outcome: tell the model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunState:
    """One consistent look at a run."""

    run: RunView
    configuration: ConfigurationView | None
    owner: Identity | None
    """The owner as the database knows them now, standing in the run's workspace or nowhere."""
    turn: AssistantMessage | None
    """The answer whose calls are not all reported yet; None = the model is to be asked."""
    calls: tuple[Call, ...] = ()
    outcomes: Mapping[int, Outcome]
    card: CardRow | None = None
    """The newest card of this turn."""
    previews: tuple[Preview, ...] = ()
    decision: DecisionRow | None = None

    @property
    def open_calls(self) -> tuple[Call, ...]:
        """Calls without an outcome, in order."""
        return tuple(call for call in self.calls if call.ordinal not in self.outcomes)

    @property
    def model_name(self) -> str:
        """The model the configuration names now; empty when there is no configuration."""
        return "" if self.configuration is None else self.configuration.model

    @property
    def facts(self) -> RunFacts:
        """What rehearsal and execution need. Only after ``next_step`` has seen that there is a configuration."""
        if self.configuration is None:
            raise LookupError("configuration")
        return RunFacts(
            uuid=self.run.uuid,
            owner_id=self.run.owner_id,
            configuration=facts_of(self.configuration),
            workspace_id=self.run.workspace_id,
            language=self.run.language,
            fence=self.run.fence,
        )


def load_state(connection: Connection, run: RunView, runtime: Runtime) -> RunState:
    """The state of ``run``. Raises ``core.crypto.Unreadable`` when something of it cannot be opened (RT-16)."""
    cipher = runtime.cipher
    last = last_message(connection, cipher, run.uuid)
    configuration = find_configuration(connection, run.configuration_id)
    workspace = LIVE if run.workspace_id is None else run.workspace_id
    owner = find_identity(connection, run.owner_id, workspace_id=workspace)
    if not isinstance(last, AssistantMessage) or not last.calls:
        return RunState(run=run, configuration=configuration, owner=owner, turn=None, outcomes={})
    card = find_card(connection, run.uuid, run.turn)
    return RunState(
        run=run,
        configuration=configuration,
        owner=owner,
        turn=last,
        calls=load_calls(connection, run.uuid, run.turn, cipher),
        outcomes=find_outcomes(connection, run.uuid, run.turn, cipher),
        card=card,
        previews=() if card is None else load_previews(connection, run.uuid, run.turn, card.revision, cipher),
        decision=None if card is None else find_decision(connection, run.uuid, run.turn, card.revision),
    )


def next_step(state: RunState, *, max_rounds: int) -> Step:
    """The one step that follows. Raises ``RuntimeError`` for a state no worker can have left behind."""
    if state.configuration is None:
        return Step.NO_CONFIGURATION
    if state.owner is None:
        return Step.NO_OWNER
    if state.turn is None:
        return Step.CLOSE if state.run.rounds >= max_rounds else Step.ASK
    if not state.open_calls:
        return Step.REPORT
    if state.card is None:
        # Once a call of the turn has ended, the turn was found to need no decision; it is not suspended halfway (RT-02).
        return Step.CARRY_OUT if state.outcomes else Step.EXAMINE
    match state.card.state:
        case TurnState.APPROVED:
            return Step.RESUME
        case TurnState.DECLINED:
            return Step.DECLINE
        case other:
            msg = f"a queued run with a card that is {other.value}"
            raise RuntimeError(msg)
