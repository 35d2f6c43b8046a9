"""Withheld means non-interference (I3): two worlds that differ only in a withheld record answer the viewer byte for byte alike."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Connection, Table, update
from werkzeug.test import TestResponse

from app import create_app
from app.agent.draining import RecordingDispatcher
from app.agent.runtime import Runtime
from app.agent.tools import built_in_tools
from app.agent.tools.registry import ToolRegistry
from app.config import Settings
from app.content.models import ContentElement
from app.content.models import Page as PageModel
from app.core import crypto
from app.core.db import transaction
from app.policy.rules import built_in_policy
from app.seed.demo import DemoSite
from tests.conftest import ScriptedModels
from tests.support.assignments import DONE, Assignments, Call
from tests.support.clock import FakeClock
from tests.support.personas import IdentityOf
from tests.support.visitor import Visitor, tree

PAGE: Table = PageModel.__table__
ELEMENT: Table = ContentElement.__table__
FRENCH = 2
LONG = "Secret-" * 150
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TOKENS = re.compile(r'((?:name="(?:csrf_token|token|digest)"[^>]*value|data-digest)=)"[^"]*"')
NEAR = range(16, 22)
"""Numbers around the first translations: some are shown to the viewer, some withheld."""
JSON = {"Accept": "application/json"}
Alter = Callable[[Connection, DemoSite], None]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What an assignment does, whose it is, and who watches without a right to part of it."""

    calls: Sequence[Call]
    owner: str
    viewer: str
    one: Alter
    other: Alter
    fewer: Alter | None = None
    """A third world in which one withheld record is missing."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer without what differs by nature."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str

    @classmethod
    def of(cls, response: TestResponse) -> Answer:
        uuids: dict[str, str] = {}

        def named(match: re.Match[str]) -> str:
            return uuids.setdefault(match[0], f"UUID{len(uuids)}")

        body = UUID.sub(named, TOKENS.sub(r"\1", response.get_data(as_text=True)))
        left_out = {"Date", "Set-Cookie", "Content-Length"}
        headers = tuple((name, UUID.sub(named, value)) for name, value in response.headers if name not in left_out)
        return cls(status=response.status_code, headers=headers, body=body)


class World:
    """An installation of its own on a copy of the demo."""

    def __init__(self, folder: Path, template: tuple[Path, DemoSite]) -> None:
        self.site = template[1]
        settings = Settings.from_environment({}, data=str(folder), workers=0)
        folder.mkdir(parents=True)
        shutil.copy(template[0] / "imprimatur.db", folder / "imprimatur.db")
        self.dispatcher, self.models = RecordingDispatcher(), ScriptedModels()
        self.runtime = Runtime(
            registry=ToolRegistry(built_in_tools()),
            policy=built_in_policy(),
            cipher=crypto.Cipher(crypto.load_keys(folder)),
            make_model=self.models.make,
            wake=self.dispatcher.wake,
            settings=settings,
        )
        self.app: Flask = create_app(settings, runtime=self.runtime)

    @contextmanager
    def open(self, alter: Alter) -> Iterator[World]:
        """With the application's context, after the withheld record was changed."""
        with self.app.app_context():
            with transaction() as connection:
                alter(connection, self.site)
            yield self

    def start(self, scene: Scene) -> Assignments:
        """The assignment of a scene, waiting for its decision, shared with the viewer."""
        identity_of = IdentityOf(self.site)
        found = Assignments(self.runtime, self.dispatcher, self.models, identity_of, owner=scene.owner)
        found.ask(scene.calls, DONE, workspace=self.site.people.workspaces["Relaunch"])
        found.share(scene.viewer)
        return found

    def answers(self, scene: Scene, started: Assignments) -> dict[str, Answer]:
        """Everything the viewer can ask for."""
        viewer, own = Visitor(self.app, self.site, scene.viewer), f"/conversations/{started.id}"
        page_uids = [*(self.site.pages[key] for key in ("visit", "hours", "staff", "about")), *NEAR]
        run = f"/runs/{started.run_uuid}"
        found = {
            "page": viewer.get(own),
            "open list": viewer.get(f"{own}?changes=1"),
            "list as part": viewer.ask(f"{own}/changes"),
            "list as page": viewer.get(f"{own}/changes"),
            "list as data": viewer.get(f"{own}/changes", **JSON),
            "poll": viewer.ask(f"{own}/updates?after=0&rev=0"),
            "card": viewer.get(f"{run}/card"),
            "card as part": viewer.ask(f"{run}/card"),
            "card in the history": viewer.ask(f"{run}/card?card=1"),
            "run": viewer.get(run),
            "conversations": viewer.get("/conversations"),
            "approvals": viewer.get("/approvals"),
            "pages": viewer.get("/pages"),
            "workspace": viewer.get(f"/workspaces/{self.site.people.workspaces['Relaunch']}"),
            "nowhere": viewer.get("/nowhere"),
        }
        found |= {f"search {words}": viewer.get(f"/pages?q={words}") for words in ("e", "Visite", "Secret", "Staff")}
        for uid in page_uids:
            found[f"page {uid}"] = viewer.get(f"/pages/{uid}")
            found[f"record {uid}"] = viewer.get(f"/records/pages/{uid}")
            found[f"history {uid}"] = viewer.get(f"/records/pages/{uid}/history")
            found[f"element {uid}"] = viewer.get(f"/records/content_elements/{uid}")
        return {name: Answer.of(response) for name, response in found.items()}


def as_it_is(_connection: Connection, _site: DemoSite) -> None:
    """Nothing is changed."""


def french_differs(connection: Connection, site: DemoSite) -> None:
    """The French translations carry other titles, more text and a time."""
    translated = (PAGE.c.translation_parent == site.pages["visit"]) & (PAGE.c.language_id == FRENCH)
    connection.execute(
        update(PAGE).where(translated).values(title="Secret title", description=LONG, endtime=1_900_000_000)
    )
    elements = ELEMENT.c.language_id == FRENCH
    connection.execute(update(ELEMENT).where(elements).values(header="Secret header", body=LONG, hidden=True))


def french_missing(connection: Connection, site: DemoSite) -> None:
    """One French record fewer: the last one of the copied page, so that no number of another record moves."""
    connection.execute(update(ELEMENT).where(ELEMENT.c.language_id == FRENCH).values(deleted=True))


def staff_differs(connection: Connection, site: DemoSite) -> None:
    """The closed area has another name and more to say."""
    closed = PAGE.c.uid.in_([site.pages["staff"], site.pages["rota"]])
    connection.execute(update(PAGE).where(closed).values(title="Secret area", description=LONG, keywords="Secret"))
    connection.execute(update(ELEMENT).where(ELEMENT.c.pid == site.pages["staff"]).values(header="Secret", body=LONG))


def copy_visit(site: DemoSite) -> Sequence[Call]:
    return [("copy_page", {"page": site.pages["visit"], "target": site.pages["about"]})]


def hide_two(site: DemoSite) -> Sequence[Call]:
    hide = ("hide_record", {"table": "pages", "uid": site.pages["hours"]})
    return [hide, ("hide_record", {"table": "pages", "uid": site.pages["staff"]})]


SCENES: dict[str, Callable[[DemoSite], Scene]] = {
    "a language Dora has no right to": lambda site: Scene(
        calls=copy_visit(site), owner="anna", viewer="dora", one=as_it_is, other=french_differs, fewer=french_missing
    ),
    "a branch Emil is not mounted on": lambda site: Scene(
        calls=copy_visit(site), owner="anna", viewer="emil", one=as_it_is, other=french_differs, fewer=french_missing
    ),
    "pages for an approver without page rights": lambda site: Scene(
        calls=copy_visit(site), owner="anna", viewer="fay", one=as_it_is, other=french_differs, fewer=french_missing
    ),
    "a closed area named by a step": lambda site: Scene(
        calls=hide_two(site), owner="admin", viewer="dora", one=as_it_is, other=staff_differs
    ),
}


@pytest.mark.behaviour("CH-18")
@pytest.mark.parametrize("name", SCENES)
def test_a_withheld_record_makes_no_difference(
    clock: FakeClock, tmp_path: Path, demo_template: tuple[Path, DemoSite], name: str
) -> None:
    scene = SCENES[name](demo_template[1])
    taken = []
    for number, alter in enumerate((scene.one, scene.other)):
        with World(tmp_path / str(number), demo_template).open(alter) as world:
            started = world.start(scene)
            waiting = world.answers(scene, started)
            started.decide()
            taken.append((waiting, world.answers(scene, started)))
    for moment in (0, 1):
        for asked, answer in taken[0][moment].items():
            assert answer.status < 500, (asked, moment)
            assert differences(answer, taken[1][moment][asked]) == [], (asked, moment)
            assert "Secret" not in (taken[1][moment][asked].body if "Secret" not in asked else ""), asked
    assert taken[0][1]["list as part"].body.count('data-note="withheld"') == 1
    assert "withheld" in taken[0][1]["list as data"].body


@pytest.mark.behaviour("CH-18")
@pytest.mark.parametrize("name", [name for name in SCENES if "step" not in name])
def test_one_withheld_record_fewer_changes_only_the_number_of_the_note(
    clock: FakeClock, tmp_path: Path, demo_template: tuple[Path, DemoSite], name: str
) -> None:
    scene = SCENES[name](demo_template[1])
    assert scene.fewer is not None
    taken, counts = [], []
    for number, alter in enumerate((scene.one, scene.fewer)):
        with World(tmp_path / str(number), demo_template).open(alter) as world:
            started = world.start(scene)
            started.decide()
            taken.append(world.answers(scene, started))
            note = tree(Visitor(world.app, world.site, scene.viewer).ask(f"/conversations/{started.id}/changes"))
            counts.append(int(str(note.select_one("[data-note=withheld]")["data-count"])))  # type: ignore[index]
    assert counts[0] == counts[1] + 1
    for asked, answer in taken[0].items():
        assert differences(without_note(answer), without_note(taken[1][asked])) == [], asked


NOTE = re.compile(
    r'<li data-note="withheld".*?</li>|"withheld": ?\d+|<(p class="muted"|li)>\d+ (further|weitere)[^<]*</(p|li)>'
    r"| \d+ (more not shown|weiterer? nicht angezeigt)\.|\d+ records? (was|were) reported\."
)


def without_note(answer: Answer) -> Answer:
    return replace(answer, body=NOTE.sub("", answer.body))


def differences(one: Answer, other: Answer) -> list[str]:
    """Lines that are not the same."""
    first, second = (
        [str(answer.status), *(f"{name}: {value}" for name, value in answer.headers), *answer.body.split("\n")]
        for answer in (one, other)
    )
    return [line for line in unified_diff(first, second, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
