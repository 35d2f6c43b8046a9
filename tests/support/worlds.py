"""Twin worlds: installations of their own that differ in one withheld record, and everything somebody can ask of them."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path

from flask import Flask
from sqlalchemy import Connection
from werkzeug.test import TestResponse

from app import create_app
from app.agent.draining import RecordingDispatcher
from app.agent.runtime import Runtime
from app.agent.tools import built_in_tools
from app.agent.tools.registry import ToolRegistry
from app.config import Settings
from app.core import crypto
from app.core.db import transaction
from app.policy.rules import built_in_policy
from app.seed.demo import DemoSite
from tests.conftest import ScriptedModels
from tests.support.addresses import file_addresses, page_addresses, record_addresses, workspace_addresses
from tests.support.assignments import DONE, Assignments, Call
from tests.support.personas import IdentityOf
from tests.support.visitor import Visitor

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
class Numbers:
    """Records to ask for: some are shown to the viewer, some withheld, some do not exist."""

    pages: Sequence[int]
    elements: Sequence[int]
    files: Sequence[int] = (1, 3, 987_654)
    keys: Sequence[str] = ()
    """Records of the draft, as the list of the workspace names them."""


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

        body = UUID.sub(named, TOKENS.sub(r"\1", words_of(response)))
        left_out = {"Date", "Set-Cookie", "Content-Length"}
        headers = tuple((name, UUID.sub(named, value)) for name, value in response.headers if name not in left_out)
        return cls(status=response.status_code, headers=headers, body=body)


def words_of(response: TestResponse) -> str:
    """A body as text; bytes by their digest, an archive with what is in it."""
    if response.mimetype.startswith("text/") or response.mimetype in {"", "application/json"}:
        return response.get_data(as_text=True)
    digest = hashlib.sha256(response.data).hexdigest()
    if response.mimetype != "application/zip":
        return digest
    with zipfile.ZipFile(io.BytesIO(response.data)) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".md")]
        return "\n".join([digest, *archive.namelist(), *texts])


class World:
    """An installation of its own on a copy of the demo."""

    def __init__(self, folder: Path, template: tuple[Path, DemoSite]) -> None:
        self.site = template[1]
        settings = Settings.from_environment({}, data=str(folder), workers=0)
        folder.mkdir(parents=True)
        shutil.copy(template[0] / "imprimatur.db", folder / "imprimatur.db")
        shutil.copytree(template[0] / "files", folder / "files")
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
            "readers": viewer.get(f"{own}/readers"),
            "list of what was created": viewer.get(f"{own}/changes?action=created&workspace=1"),
            "list in French": viewer.get(f"{own}/changes?language=fr"),
            "list of what needs a check": viewer.get(f"{own}/changes?check=1", **JSON),
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

    def content(self, username: str, numbers: Numbers) -> dict[str, Answer]:
        """Every page of content for somebody, standing in live and, where they may, in the draft."""
        draft = self.site.people.workspaces["Relaunch"]
        asked = [
            *page_addresses(draft, numbers.pages),
            *record_addresses(draft, "pages", numbers.pages),
            *record_addresses(draft, "content_elements", numbers.elements),
            *file_addresses(numbers.files),
            *workspace_addresses(draft, numbers.keys),
            *(f"/pages?q={words}" for words in ("e", "Visite", "Secret", "Staff")),
        ]
        viewer, found = Visitor(self.app, self.site, username), {}
        for standing in (0, draft):
            viewer.post("/workspaces/selection", workspace=str(standing))
            for address in asked:
                found[f"{address} in {standing}"] = Answer.of(viewer.get(address))
                if "/below" in address or "/workspaces/" in address:
                    found[f"{address} as part in {standing}"] = Answer.of(viewer.ask(address))
        return found


def as_it_is(_connection: Connection, _site: DemoSite) -> None:
    """Nothing is changed."""


NOTE = re.compile(
    r'<li data-note="withheld".*?</li>|"withheld": ?\d+|<(p class="muted"|li)>\d+ (further|weitere)[^<]*</(p|li)>'
    r"| \d+ (more not shown|weiterer? nicht angezeigt)\.|\d+ records? (was|were) reported\."
    r'|data-statement="\d+">\d+ records? reported as changed\.'
    r'|data-statement="\d+">\d+ Datens(?:atz|ätze) als geändert gemeldet\.'
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
