"""A small site and a run in it, on any database: what the tests of rehearsal and execution work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from flask import Flask
from sqlalchemy import Table, func, insert, select, update

import app.accounts.models
import app.agent.models
import app.chat.models
import app.content.models
from app.accounts import service as accounts
from app.agent import models, store
from app.agent.configurations import create_configuration, facts_of, find_configuration
from app.agent.digest import new_turn_key, turn_digest
from app.agent.execution import ExecutionResult, execute_call
from app.agent.rehearsal import rehearse_turn
from app.agent.runtime import Runtime
from app.agent.tools.base import Plan, Tool, ToolContext, WriteResult
from app.agent.tools.copying import CopyPage
from app.agent.tools.creating import CreateContentElementDraft, CreatePageDraft
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.updating import UpdateContentElement, UpdatePageMetadata
from app.agent.types import Call, Preview, RunFacts, TurnState
from app.config import Settings
from app.content.types import Origin, RecordRef, WriteContext
from app.content.writer import Batch
from app.core import canonical, clock, crypto, ids
from app.core.db import READING, db, engine_options, install_hooks, reading, reading_options, transaction
from app.core.i18n import text
from app.policy.decisions import Decision
from app.policy.identity import LIVE, Identity
from app.policy.invocation import InvocationContext, InvocationPolicy, InvocationRule, ToolEffect, ToolFacts
from app.policy.rules.draft_workspace import RequireDraftWorkspace

RUN: Table = cast(Table, models.Run.__table__)
LANGUAGES = (("en", "English"), ("de", "Deutsch"))
Values = Mapping[str, Any]
LOOK = ToolFacts(name="look", group="reading", effect=ToolEffect.READ)
ACT = ToolFacts(name="act", group="editing", effect=ToolEffect.WRITE)


def make_app(url: str) -> Flask:
    """An application that knows nothing but the database at ``url``."""
    flask = Flask("execution_world")
    flask.config.update(
        SQLALCHEMY_DATABASE_URI=url,
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(url),
        SQLALCHEMY_BINDS={READING: {"url": url, **reading_options(url)}},
    )
    db.init_app(flask)
    with flask.app_context():
        install_hooks(db.engine, db.engines[READING])
    return flask


@dataclass(frozen=True, kw_only=True)
class FakeRead:
    """A reading tool that answers ``answer``."""

    answer: Values = field(default_factory=lambda: {"found": 1})
    facts: ToolFacts = LOOK
    description: str = "Looks."
    parameters: Values = field(
        default_factory=lambda: {"type": "object", "properties": {}, "additionalProperties": False}
    )
    label = text("Look")
    sentence = text("Looks.")

    def read(self, context: ToolContext, arguments: Values) -> Values:
        return self.answer


@dataclass(frozen=True, kw_only=True)
class FakeWrite:
    """A writing tool that does what the test says."""

    act: Callable[[ToolContext, Batch], RecordRef | None]
    facts: ToolFacts = ACT
    description: str = "Acts."
    parameters: Values = field(
        default_factory=lambda: {"type": "object", "properties": {}, "additionalProperties": False}
    )
    label = text("Act")
    sentence = text("Acts.")

    def plan(self, context: ToolContext, arguments: Values) -> Plan:
        return Plan(target=None, heading=text("Act on it"), generic_heading=text("Act"))

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        return WriteResult(content={"done": "act"}, target=self.act(context, batch), kind="update")


class Says:
    """A rule with a fixed answer that counts how often it is asked."""

    id = "says"
    answers_before_approval = True

    def __init__(self, answer: Decision) -> None:
        self.answer = answer
        self.asked = 0

    def decide(self, context: InvocationContext) -> Decision:
        self.asked += 1
        return self.answer


class Breaks:
    """A rule that cannot decide."""

    id = "breaks"
    answers_before_approval = True

    def decide(self, context: InvocationContext) -> Decision:
        raise RuntimeError("secret")


TOOLS: tuple[Tool, ...] = (
    CopyPage(),
    CreatePageDraft(),
    CreateContentElementDraft(),
    UpdatePageMetadata(),
    UpdateContentElement(),
    FakeRead(),
)


@dataclass(kw_only=True)
class World:
    """A site with a home page, a museum page (two elements, one linking to itself) and its subpage, and two people."""

    runtime: Runtime
    owner: int
    approver: int
    draft: int
    configuration: int
    home: int
    museum: int
    hours: int
    element: int
    turns: dict[str, int] = field(default_factory=dict)

    def start(self, *, workspace: int | None = LIVE, owner: int | None = None, language: str = "en") -> RunFacts:
        """A run that a worker holds with fence 1."""
        uuid, now = ids.new_uuid(), clock.now()
        with transaction() as connection:
            connection.execute(
                insert(RUN).values(
                    uuid=uuid,
                    subject="",
                    owner_id=owner or self.owner,
                    configuration_id=self.configuration,
                    workspace_id=workspace,
                    language=language,
                    status="running",
                    fence=1,
                    created_at=now,
                    changed_at=now,
                )
            )
            configuration = find_configuration(connection, self.configuration)
        assert configuration is not None
        return RunFacts(
            uuid=uuid,
            owner_id=owner or self.owner,
            configuration=facts_of(configuration),
            workspace_id=workspace,
            language=language,
            fence=1,
        )

    def with_tools(self, *tools: Tool) -> None:
        """Register further tools."""
        self.runtime = replace(self.runtime, registry=ToolRegistry([*TOOLS, *tools]))

    def with_rules(self, *rules: InvocationRule) -> None:
        """Ask these rules instead of the built-in ones."""
        self.runtime = replace(self.runtime, policy=InvocationPolicy(list(rules)))

    def propose(self, facts: RunFacts, *steps: tuple[str, Values]) -> tuple[Call, ...]:
        """Store the next turn of the run with these calls."""
        turn = self.turns[facts.uuid] = self.turns.get(facts.uuid, 0) + 1
        calls = tuple(make_call(facts.uuid, turn, ordinal, *step) for ordinal, step in enumerate(steps))
        with transaction() as connection:
            store.save_calls(connection, self.runtime.cipher, calls)
        return calls

    def card(self, facts: RunFacts, calls: Sequence[Call], *, revision: int = 1) -> tuple[Preview, ...]:
        """Rehearse the calls and let their card wait."""
        previews = rehearse_turn(facts, calls, self.runtime)
        self.save_card(facts, calls, previews, revision=revision)
        return previews

    def save_card(
        self, facts: RunFacts, calls: Sequence[Call], previews: Sequence[Preview], *, revision: int = 1
    ) -> None:
        """Store a waiting card with these previews."""
        key = new_turn_key()
        digest = turn_digest(key, calls, previews)
        with transaction() as connection:
            store.save_card(
                connection, facts, calls[0].turn, revision, previews, key, digest, "", cipher=self.runtime.cipher
            )

    def approve(
        self, facts: RunFacts, turn: int, *, by: int | None = None, revision: int = 1, yes: bool = True
    ) -> None:
        """Record a decision on a card."""
        with transaction() as connection:
            card = store.find_card(connection, facts.uuid, turn, revision)
            assert card is not None
            decision = store.DecisionRow(
                run_uuid=facts.uuid,
                turn=turn,
                revision=revision,
                approved=yes,
                decided_by=by or self.approver,
                digest=card.digest,
                token="",
                reason_sealed="",
                decided_at=clock.now(),
            )
            store.save_decision(connection, self.runtime.cipher, decision, "")
            state = TurnState.APPROVED if yes else TurnState.DECLINED
            store.settle_card(connection, facts.uuid, turn, revision, state)

    def approved(self, facts: RunFacts, *steps: tuple[str, Values]) -> tuple[Call, ...]:
        """Propose, rehearse and approve a turn."""
        calls = self.propose(facts, *steps)
        self.card(facts, calls)
        self.approve(facts, calls[0].turn)
        return calls

    def execute(self, facts: RunFacts, call: Call, *, revision: int = 1) -> ExecutionResult:
        """Carry out one call of an approved turn."""
        return execute_call(facts, call, self.runtime, turn_revision=revision)

    def write(self, act: Callable[[Batch], Any], *, workspace: int = LIVE) -> Any:
        """Something another person writes meanwhile."""
        with transaction() as connection:
            batch = Batch(connection, person(self.owner, workspace))
            result = act(batch)
            batch.finish()
        return result

    def title_of(self, uid: int) -> str:
        """The title of a page row."""
        with reading() as connection:
            return str(connection.execute(select(PAGES.c.title).where(PAGES.c.uid == uid)).scalar_one())

    def count(self, table: str, **values: Any) -> int:
        """How many rows of ``table`` have these values."""
        found = db.metadata.tables[table]
        statement = select(func.count()).select_from(found)
        for name, value in values.items():
            statement = statement.where(found.c[name] == value)
        with reading() as connection:
            return int(connection.execute(statement).scalar_one())

    def set_run(self, facts: RunFacts, **values: Any) -> None:
        """Change columns of a run as another process would."""
        with transaction() as connection:
            connection.execute(update(RUN).where(RUN.c.uuid == facts.uuid).values(**values))


PAGES: Table = cast(Table, app.content.models.Page.__table__)


def make_call(uuid: str, turn: int, ordinal: int, tool: str, arguments: Values) -> Call:
    """A call with acceptable arguments."""
    return Call(
        run_uuid=uuid,
        turn=turn,
        ordinal=ordinal,
        provider_id=f"c{ordinal}",
        tool=tool,
        arguments=dict(arguments),
        arguments_text=canonical.dumps(dict(arguments)),
    )


def person(user_id: int, workspace: int = LIVE) -> WriteContext:
    """Somebody editing by hand, with every right."""
    actor = Identity(
        user_id=user_id, username="ada", name="Ada", is_admin=True, workspace_id=workspace, workspaces={workspace: ""}
    )
    return WriteContext(
        actor=actor, workspace_id=workspace, origin=Origin.PERSON, correlation=ids.new_uuid(), now=clock.now()
    )


def content_rows(*, without: Sequence[str] = ("content_clock",)) -> str:
    """A hash over every row of every table."""
    with reading() as connection:
        rows = [
            [name, [list(map(str, row)) for row in connection.execute(select(table).order_by(*table.primary_key))]]
            for name, table in sorted(db.metadata.tables.items())
            if name not in without
        ]
    return canonical.sha256(canonical.dumps(rows))


def make_world(folder: Path) -> World:
    """Fill the empty database of the current application."""
    db.create_all()
    folder.mkdir(parents=True, exist_ok=True)
    settings = Settings.from_environment({}, data=str(folder), workers=0)
    runtime = Runtime(
        registry=ToolRegistry(TOOLS),
        policy=InvocationPolicy([RequireDraftWorkspace()]),
        cipher=crypto.Cipher(crypto.load_keys(folder)),
        make_model=_no_model,
        wake=lambda _uuid: None,
        settings=settings,
    )
    with transaction() as connection:
        owner = accounts.create_user(connection, username="ada", name="Ada", is_admin=True)
        approver = accounts.create_user(connection, username="olga", name="Olga")
        group = accounts.create_group(connection, "Approvers", grants=["agent_approve"])
        accounts.add_member(connection, approver, group)
        draft = accounts.create_workspace(connection, "Relaunch")
        configuration = create_configuration(connection, "Editorial")
        for number, (code, title) in enumerate(LANGUAGES):
            connection.execute(insert(db.metadata.tables["site_language"]).values(id=number, code=code, title=title))
        batch = Batch(connection, replace(person(owner), origin=Origin.SEED))
        home = batch.create("pages", 0, {"title": "Home"}).uid
        museum = batch.create("pages", home, {"title": "Museum"}).uid
        hours = batch.create("pages", museum, {"title": "Opening hours"}).uid
        element = batch.create(
            "content_elements", museum, {"header": "Welcome", "body": f"See [us](page:{museum})"}
        ).uid
        batch.create("content_elements", hours, {"header": "Hours", "body": "Ten to five."})
        batch.finish()
    return World(
        runtime=runtime,
        owner=owner,
        approver=approver,
        draft=draft,
        configuration=configuration,
        home=home,
        museum=museum,
        hours=hours,
        element=element,
    )


def _no_model(name: str) -> Any:
    raise AssertionError(name)
