"""A demo site in a temporary folder on which requests of the evaluation set are tried; the installation's data is never touched."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import cast

from flask_migrate import upgrade
from sqlalchemy import Table, select

from app import create_app
from app.accounts.identities import find_identity
from app.agent import approvals, runs
from app.agent.configurations import (
    ConfigurationValues,
    ConfigurationView,
    create_configuration,
    facts_of,
    find_configuration,
    find_configuration_named,
    set_configuration,
)
from app.agent.draining import RecordingDispatcher
from app.agent.evaluation.matching import MadeCall
from app.agent.evaluation.requests import EvaluationRequest, Named, resolve_words
from app.agent.runs import RunView
from app.agent.runtime import Runtime, Services
from app.agent.store import find_outcomes, load_calls
from app.agent.types import RunStatus
from app.agent.worker import execute_run, queued_runs
from app.chat import service
from app.chat.approval_card import read_card
from app.chat.store import find_conversation
from app.config import Settings
from app.content.models import ContentElement, File
from app.core.db import db, reading, transaction
from app.policy.identity import LIVE, Identity
from app.seed.demo import DemoSite, install_demo
from app.seed.demo_content import PAGES

PEOPLE = {"en": "anna", "de": "olga"}
"""Who asks, by language: editors of the whole site who stand in the draft workspace "Relaunch"."""
SECOND_APPROVER = "admin"
MOST_CARDS = 6
_ELEMENT = cast(Table, ContentElement.__table__)
_FILE = cast(Table, File.__table__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """What came of a request."""

    words: str
    calls: tuple[MadeCall, ...]
    problem: str
    """Why the run failed, as a code; empty when it did not."""
    tokens: int


class Trial:
    """Requests on a fresh demo each. Use ``open_trial``."""

    def __init__(self, folder: Path, site: DemoSite, configuration: int, runtime: Runtime) -> None:
        self._folder, self._site, self._configuration, self._runtime = folder, site, configuration, runtime

    def reset(self) -> None:
        """Bring the database back to the state of the demo."""
        for engine in db.engines.values():
            engine.dispose()
        for part in ("", "-wal", "-shm"):
            self._folder.joinpath(f"imprimatur.db{part}").unlink(missing_ok=True)
        shutil.copy(self._folder / "template.db", self._folder / "imprimatur.db")

    @cached_property
    def offered(self) -> frozenset[str]:
        """Names of the tools the configuration offers."""
        with reading() as connection:
            configuration = find_configuration(connection, self._configuration)
            person = find_identity(connection, self._site.people.users[PEOPLE["en"]])
        if configuration is None:
            return frozenset()
        offered = self._runtime.registry.offered(facts_of(configuration), person)
        return frozenset(tool.facts.name for tool in offered)

    def number_of(self, named: Named) -> int:
        """The number of a record of the demo by its title. Raises ``LookupError`` when there is not exactly one."""
        if named.kind == "page":
            found = [self._site.pages[page.key] for page in PAGES if page.title == named.title]
        else:
            query = select(_FILE.c.uid).where(_FILE.c.name == named.title)
            if named.kind == "element":
                wanted = (_ELEMENT.c.header == named.title, _ELEMENT.c.language_id == 0, _ELEMENT.c.workspace_id == 0)
                query = select(_ELEMENT.c.uid).where(*wanted)
            with reading() as connection:
                found = list(connection.execute(query).scalars())
        if len(found) != 1:
            raise LookupError(f"{len(found)} records of the kind {named.kind} are called {named.title!r}")
        return found[0]

    def attempt(self, request: EvaluationRequest) -> Attempt:
        """Send the messages of ``request`` as a person, approve what is proposed, and collect the calls after the last one."""
        words = resolve_words(request.words, self.number_of)
        person = self._person(PEOPLE[request.language], LIVE if request.is_live else None)
        conversation = service.create_conversation(person, self._configuration)
        for number, body in enumerate((*request.earlier, words)):
            service.send_message(person, conversation, body, f"message-{number}", self._runtime)
            run = self._finish(conversation, person)
        return Attempt(
            words=words,
            calls=self._calls(run),
            problem=run.reason or run.status.value if run.status is RunStatus.FAILED else "",
            tokens=run.prompt_tokens + run.completion_tokens,
        )

    def _person(self, name: str, workspace_id: int | None = None) -> Identity:
        with reading() as connection:
            found = find_identity(connection, self._site.people.users[name], workspace_id=workspace_id)
        if found is None:
            raise LookupError(name)
        return found

    def _finish(self, conversation: int, person: Identity) -> RunView:
        """Work the newest run off, approving its cards, until it ends, nothing can be approved, or it proposes for ever."""
        for _ in range(MOST_CARDS):
            self._work()
            run = self._run(conversation)
            if run.status is not RunStatus.WAITING_FOR_APPROVAL or not self._approve(run, person):
                return run
        return self._run(conversation)

    def _work(self) -> None:
        while uuids := queued_runs():
            for uuid in uuids:
                execute_run(uuid, self._runtime)

    def _run(self, conversation: int) -> RunView:
        with reading() as connection:
            row = find_conversation(connection, conversation)
            run = None if row is None else runs.find_run(connection, row["run_uuid"])
        if run is None:
            raise LookupError(f"run of conversation {conversation}")
        return run

    def _approve(self, run: RunView, person: Identity) -> bool:
        """Approve the waiting card, as the second person where one is demanded; False when nothing on it can be approved."""
        with reading() as connection:
            configuration = find_configuration(connection, run.configuration_id)
        needs_second = configuration is not None and configuration.requires_second_approver
        actor = self._person(SECOND_APPROVER) if needs_second else person
        with reading() as connection:
            card = read_card(connection, actor, run.uuid, self._runtime)
        if card.is_all_refused:
            return False
        token = f"approval-{run.turn}-{card.number}"
        approvals.decide(
            actor, run.uuid, approve=True, digest=card.digest, token=token, reason="", runtime=self._runtime
        )
        return True

    def _calls(self, run: RunView) -> tuple[MadeCall, ...]:
        found: list[MadeCall] = []
        cipher, registry = self._runtime.cipher, self._runtime.registry
        with reading() as connection:
            for turn in range(1, run.turn + 1):
                outcomes = find_outcomes(connection, run.uuid, turn, cipher)
                for call in load_calls(connection, run.uuid, turn, cipher):
                    tool, outcome = registry.find(call.tool), outcomes.get(call.ordinal)
                    found.append(
                        MadeCall(
                            tool=call.tool,
                            arguments=call.arguments,
                            is_write=tool is None or tool.facts.is_write,
                            made_uid=None if outcome is None or outcome.is_error else _uid_in(outcome.content),
                        )
                    )
        return tuple(found)


def _uid_in(content: str) -> int | None:
    """The number a result names; results may carry a note before their JSON."""
    try:
        data = json.loads(content[content.index("{") :])
    except ValueError:
        return None
    uid = data.get("uid") if isinstance(data, dict) else None
    return uid if isinstance(uid, int) else None


@contextmanager
def open_trial(settings: Settings, configuration: ConfigurationView | None) -> Iterator[Trial]:
    """A demo site of its own with ``configuration`` (None = the demo's "Editorial"), gone at the end.

    ``settings`` say how providers are reached; database and data folder are not theirs.
    """
    with tempfile.TemporaryDirectory(prefix="imprimatur-evaluation-") as name:
        folder = Path(name)
        app = create_app(replace(settings, data=name, database_url="", workers=0))
        services: Services = app.extensions["imprimatur"]
        runtime = replace(services.runtime, wake=RecordingDispatcher().wake)
        with app.app_context():
            try:
                upgrade(revision="heads")
                yield _set_up(folder, services.settings, configuration, runtime)
            finally:
                for engine in db.engines.values():
                    engine.dispose()


def _set_up(folder: Path, settings: Settings, configuration: ConfigurationView | None, runtime: Runtime) -> Trial:
    with transaction() as connection:
        site = install_demo(connection, settings)
        found = find_configuration_named(connection, configuration.name if configuration else "Editorial")
        chosen = found.id if found else 0
        if configuration is not None:
            values = _values(configuration)
            if found is None:
                chosen = create_configuration(connection, configuration.name, **values)
            else:
                set_configuration(connection, found.id, **values)
    if site is None:
        raise RuntimeError("the temporary database is not empty")
    raw = db.engine.raw_connection()
    raw.cursor().execute("VACUUM INTO ?", (str(folder / "template.db"),))
    raw.close()
    return Trial(folder, site, chosen, runtime)


def _values(configuration: ConfigurationView) -> ConfigurationValues:
    """What is taken over: everything but who may use it, for its groups of people are not those of the demo."""
    return ConfigurationValues(
        model=configuration.model,
        prompt=configuration.prompt,
        tool_groups=configuration.tool_groups,
        excluded_tools=configuration.excluded_tools,
        requires_second_approver=configuration.requires_second_approver,
        requires_draft_workspace=configuration.requires_draft_workspace,
        active=True,
    )
