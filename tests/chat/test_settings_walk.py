"""Settings flip at random between all steps of assignments, and no write is ever found that a rule in force refuses.

What must hold is worked out here from the tables alone, at every flip: the settings before it were in force for every
write since the flip before. Flips also happen while the model thinks, so inside one segment of a worker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from sqlalchemy import delete, insert, select
from sqlalchemy.engine import Connection

from app.accounts.models import WorkspaceMember
from app.agent.configurations import find_configuration, set_configuration
from app.agent.llm.base import Message, ModelTurn
from app.agent.llm.scripted import ScriptedModel, ScriptStep, call_turn, text_turn
from app.agent.models import ApprovalDecision, CallOutcome, GovernanceEvent, Run
from app.chat import service
from app.chat.store import CONVERSATION
from app.content.models import Page, RecordHistory
from app.core.db import reading, transaction
from app.core.errors import AppError
from app.seed.demo import DemoSite
from tests.support.assignments import Assignments
from tests.support.clock import FakeClock
from tests.support.personas import IdentityOf

HISTORY, OUTCOMES, RUNS = RecordHistory.__table__, CallOutcome.__table__, Run.__table__
DECISIONS, MEMBERS, PAGES = ApprovalDecision.__table__, WorkspaceMember.__table__, Page.__table__
UPDATE = "update_page_metadata"
TOOLS = (UPDATE, UPDATE, "read_record", "hide_record", "publish_record")
DRAFT = 1
FREE: Mapping[str, Any] = {
    "requires_draft_workspace": False,
    "requires_read_before_write": False,
    "requires_second_approver": False,
    "branch_page": 0,
    "excluded_tools": (),
    "tool_groups": (),
    "active": True,
}
"""Nothing is demanded."""
DEMANDS: Mapping[str, Sequence[Any]] = {
    "requires_draft_workspace": [True],
    "requires_read_before_write": [True],
    "requires_second_approver": [True],
    "branch_page": [2, 8],
    "excluded_tools": [(UPDATE,), ("publish_record",)],
    "tool_groups": [("reading", "editing"), ("reading",)],
    "active": [False],
}
FLIPS = st.one_of(
    st.sampled_from([("member", True), ("member", True), ("member", False)]),
    *(st.sampled_from([(name, FREE[name])] * 2 + [(name, one) for one in values]) for name, values in DEMANDS.items()),
)
CALLS = st.lists(st.tuples(st.sampled_from(TOOLS), st.integers(0, 3)), min_size=1, max_size=3)
Flip = tuple[str, Any]
Calls = Sequence[tuple[str, int]]
Turns = Sequence[tuple[Calls, Flip | None]]


class Watched:
    """The installation with what is in force, and what was written since somebody last looked."""

    def __init__(self, assignments: Assignments, identity_of: IdentityOf, site: DemoSite, clock: FakeClock) -> None:
        self.assignments, self.identity_of, self.site, self.clock = assignments, identity_of, site, clock
        self.pages = [site.pages[name] for name in ("hours", "tickets", "press", "exhibitions")]
        self.asked: dict[tuple[str, int, int], tuple[str, int]] = {}
        self.seen = Counter[str]()
        self.broken: list[str] = []
        with reading() as connection:
            self.members = [dict(row) for row in connection.execute(select(MEMBERS)).mappings()]
            self.above = {row.uid: row.pid for row in connection.execute(select(PAGES.c.uid, PAGES.c.pid))}
            self.last = connection.execute(select(HISTORY.c.id).order_by(HISTORY.c.id.desc())).scalars().first() or 0

    def flip(self, name: str, value: Any) -> None:
        """Check what was written until now under the settings in force, then change one of them."""
        self.check()
        with transaction() as connection:
            if name != "member":
                set_configuration(connection, 1, **{name: value})
                return
            connection.execute(delete(MEMBERS))
            if value:
                connection.execute(insert(MEMBERS), self.members)

    def check(self) -> None:
        """Every write since the last look was allowed by what was in force."""
        with reading() as connection:
            query = select(HISTORY).where(HISTORY.c.id > self.last, HISTORY.c.origin == "run").order_by(HISTORY.c.id)
            for row in connection.execute(query).mappings().all():
                self.last = row["id"]
                self.seen["written"] += 1
                # A worker turns what is raised while the model thinks into a failed run: it is kept here too.
                self.broken += [demand for demand, holds in self.judge(connection, row).items() if not holds]
        assert not self.broken

    def judge(self, connection: Connection, row: Mapping[Any, Any]) -> dict[str, bool]:
        """Each demand on one written row, and whether it holds."""
        demands = find_configuration(connection, 1)
        assert demands is not None
        uuid, turn, call = row["correlation"].split("/")
        key = (uuid, int(turn), int(call))
        tool, page = self.asked[key]
        run = connection.execute(select(RUNS).where(RUNS.c.uuid == uuid)).mappings().one()
        group = "publishing" if tool == "publish_record" else "editing"
        decision = DECISIONS.c.run_uuid == uuid, DECISIONS.c.turn == key[1], DECISIONS.c.approved
        newest = select(DECISIONS.c.decided_by).where(*decision).order_by(DECISIONS.c.revision.desc())
        decided_by = connection.execute(newest).scalars().first()
        is_member = connection.execute(select(MEMBERS)).first() is not None
        return {
            "where the run recorded (DW-23)": row["workspace_id"] == run["workspace_id"],
            "the page it was asked for": row["live_uid"] == page,
            "in use": demands.active,
            "not excluded": tool not in demands.excluded_tools,
            "in a group on offer": not demands.tool_groups or group in demands.tool_groups,
            "a workspace of hers": row["workspace_id"] == 0 or is_member,
            "a draft": row["workspace_id"] > 0 or not demands.requires_draft_workspace,
            "in the branch": not demands.branch_page or demands.branch_page in self.lines_of(page),
            "read before": not demands.requires_read_before_write or self.has_read(connection, key, page),
            "a recorded yes (I1)": decided_by is not None,
            "a second person": not demands.requires_second_approver or decided_by != run["owner_id"],
        }

    def lines_of(self, page: int) -> set[int]:
        """A page with every page above it."""
        found = {page}
        while page := self.above.get(page, 0):
            found.add(page)
        return found

    def has_read(self, connection: Connection, key: tuple[str, int, int], page: int) -> bool:
        """Whether an earlier call of the run read or wrote the page."""
        query = select(OUTCOMES).where(OUTCOMES.c.run_uuid == key[0], OUTCOMES.c.state.in_(["read", "done"]))
        ended = [(row["turn"], row["ordinal"]) for row in connection.execute(query).mappings()]
        return any(place < key[1:] and self.asked[(key[0], *place)][1] == page for place in ended)


class Walk(RuleBasedStateMachine):
    """One conversation; the installation is shared by all walks."""

    watched: Watched

    def __init__(self) -> None:
        super().__init__()
        world = self.watched
        world.flip("member", True)
        with transaction() as connection:
            set_configuration(connection, 1, **FREE)
        self.id = service.create_conversation(world.identity_of("anna"), 1)
        world.assignments.id = self.id
        self.sent = 0

    def teardown(self) -> None:
        self.watched.assignments.work()
        self.watched.check()

    @property
    def status(self) -> str:
        with reading() as connection:
            query = select(CONVERSATION.c.status).where(CONVERSATION.c.id == self.id)
            return str(connection.execute(query).scalar_one())

    @rule(
        flips=st.lists(FLIPS, max_size=2),
        turns=st.lists(st.tuples(CALLS, st.none() | FLIPS), min_size=1, max_size=2),
        workspace=st.sampled_from([0, 1]),
        approve=st.sampled_from([True, True, True, False]),
        by=st.sampled_from(["anna", "admin"]),
    )
    def go_on(self, flips: Sequence[Flip], turns: Turns, workspace: int, approve: bool, by: str) -> None:
        """Flip some settings, then do what comes next: ask, let the worker go on, or decide."""
        for flip in flips:
            self.watched.flip(*flip)
        self.watched.clock.advance(61)
        match self.status:
            case "working":
                self.watched.assignments.work()
            case "awaiting_approval":
                self.decide(approve, by)
            case _:
                self.ask(turns, workspace)
        self.watched.check()

    def ask(self, turns: Turns, workspace: int) -> None:
        world = self.watched
        self.sent += 1
        world.flip("active", True)
        steps: list[ScriptStep] = [self.turn(number, *turn) for number, turn in enumerate(turns, start=1)]
        world.assignments._models.by_name["builtin"] = ScriptedModel([*steps, *[text_turn("Done.")] * 9])
        try:
            identity = world.identity_of("anna", workspace)
            service.send_message(identity, self.id, "Please", f"t{self.sent}", world.assignments.runtime)
        except AppError:  # she stands in a workspace that was taken from her
            world.seen["not started"] += 1

    def decide(self, approve: bool, by: str) -> None:
        world = self.watched
        token = f"press-{world.clock.now()}"
        result = world.assignments.decide(approve=approve, by=by, token=token, work=False)
        world.seen[f"decided: {result.kind.value}"] += 1

    def turn(self, number: int, calls: Calls, flip: Flip | None) -> ScriptStep:
        """What the model asks for; settings may flip while it thinks."""

        def answer(_messages: Sequence[Message]) -> ModelTurn:
            if flip is not None:
                self.watched.flip(*flip)
            uuid = self.run_uuid
            named: list[tuple[str, Mapping[str, Any]]] = []
            for place, (tool, which) in enumerate(calls):
                page = self.watched.pages[which]
                self.watched.asked[uuid, number, place] = (tool, page)
                title = f"Title {len(self.watched.asked)}"
                record = {"table": "pages", "uid": page}
                named.append((tool, {"page": page, "title": title} if tool == UPDATE else record))
            return call_turn(*named)

        return answer

    @property
    def run_uuid(self) -> str:
        with reading() as connection:
            query = select(RUNS.c.uuid).where(RUNS.c.subject == f"conversation:{self.id}").order_by(RUNS.c.created_at)
            return str(connection.execute(query).scalars().all()[-1])


def test_no_write_is_found_under_a_rule_that_refuses_it(
    clock: FakeClock, assignments: Assignments, identity_of: IdentityOf, site: DemoSite
) -> None:
    assert (site.pages["visit"], site.pages["exhibitions"], site.people.workspaces["Relaunch"]) == (2, 8, DRAFT)
    Walk.watched = Watched(assignments, identity_of, site, clock)
    chosen = settings(
        max_examples=10,
        stateful_step_count=25,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Walk, settings=chosen)
    seen = Walk.watched.seen
    assert not Walk.watched.broken
    assert seen["written"] >= 10, f"the walks must write, or they prove nothing: {seen}"
    assert refused_kinds() >= 6, "and rules must refuse"


def refused_kinds() -> int:
    with reading() as connection:
        table = GovernanceEvent.__table__
        return len(set(connection.execute(select(table.c.rule, table.c.reason)).all()))
