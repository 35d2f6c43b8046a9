"""Non-interference on the pages of content (I3): tree, module, forms, commands, history, files, workspace, preview, archive."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, Table, insert, select, update

from app.content.models import File, FileMetadata, FileReference
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.worlds import Alter, Answer, Numbers, Scene, World, as_it_is, differences, without_note
from tests.web.test_twin_worlds import (
    ELEMENT,
    FRENCH,
    LONG,
    PAGE,
    copy_visit,
    french_differs,
    french_missing,
    hide_two,
    staff_differs,
)

FILE: Table = File.__table__
METADATA: Table = FileMetadata.__table__
REFERENCE: Table = FileReference.__table__
FERRY, ARCHIVED = 1, 3


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What must be in the answers, so that the comparison is about something."""

    address: str
    words: str


def archive_differs(connection: Connection, _site: DemoSite) -> None:
    """A picture in a folder without a mount has another name and says more."""
    connection.execute(
        update(FILE).where(FILE.c.uid == ARCHIVED).values(name="Secret.png", path="/archive/Secret.png", width=7)
    )
    described = METADATA.c.file_uid == ARCHIVED
    connection.execute(update(METADATA).where(described).values(title="Secret", alternative=LONG[:900]))


def closed_use(connection: Connection, site: DemoSite) -> None:
    """An element of the closed area shows the ferry."""
    element = connection.execute(select(ELEMENT.c.uid).where(ELEMENT.c.pid == site.pages["staff"])).scalars().first()
    copied = dict(connection.execute(select(REFERENCE).order_by(REFERENCE.c.uid)).mappings().first() or {})
    del copied["uid"]
    connection.execute(insert(REFERENCE).values({**copied, "pid": site.pages["staff"], "owner_uid": element}))


def closed_use_differs(connection: Connection, site: DemoSite) -> None:
    """It shows it with another name of its own."""
    closed_use(connection, site)
    staff_differs(connection, site)


def numbers_in(connection: Connection, site: DemoSite) -> Numbers:
    """Records of both kinds: pages and translations, elements, and drafts by their row."""
    pages = [site.pages[key] for key in ("visit", "staff")]
    translated = (PAGE.c.language_id == FRENCH) & (PAGE.c.live_uid == 0) & (PAGE.c.workspace_id == 0)
    pages += connection.execute(select(PAGE.c.uid).where(translated).order_by(PAGE.c.uid).limit(1)).scalars()
    elements = list(
        connection.execute(
            select(ELEMENT.c.uid)
            .where(ELEMENT.c.pid.in_([site.pages["visit"], site.pages["staff"]]), ELEMENT.c.workspace_id == 0)
            .order_by(ELEMENT.c.uid)
        ).scalars()
    )
    drafts = select(PAGE.c.uid, PAGE.c.live_uid).where(PAGE.c.workspace_id > 0).order_by(PAGE.c.uid).limit(3)
    rows = list(connection.execute(drafts))
    return Numbers(
        pages=(*pages, *(row.live_uid or row.uid for row in rows)),
        elements=elements,
        keys=[f"pages:{row.uid}" for row in rows],
    )


def french(site: DemoSite, viewer: str) -> Scene:
    return Scene(
        calls=copy_visit(site),
        owner="anna",
        viewer=viewer,
        one=as_it_is,
        other=french_differs,
        fewer=french_missing,
    )


def closed(site: DemoSite, one: Alter, other: Alter, fewer: Alter | None = None) -> Scene:
    return Scene(calls=hide_two(site), owner="admin", viewer="dora", one=one, other=other, fewer=fewer)


SCENES: dict[str, tuple[Callable[[DemoSite], Scene], Sequence[Shown]]] = {
    "a language Dora has no right to": (
        lambda site: french(site, "dora"),
        [Shown(address="/workspaces/1 in 1", words="2 weitere Datensätze werden nicht angezeigt.")],
    ),
    "a branch Emil is not mounted on": (
        lambda site: french(site, "emil"),
        [Shown(address="/workspaces/1 in 1", words="further records are not shown")],
    ),
    "pages for somebody with no workspace": (lambda site: replace(french(site, "gus"), fewer=None), []),
    "a closed area": (
        lambda site: closed(site, as_it_is, staff_differs),
        [Shown(address="/workspaces/1 in 1", words="1 weiterer Datensatz wird nicht angezeigt.")],
    ),
    "a file without a mount": (
        lambda site: closed(site, as_it_is, archive_differs),
        [Shown(address="/files in 0", words="editorial")],
    ),
    "a use of a file in a closed area": (
        lambda site: closed(site, closed_use, closed_use_differs, as_it_is),
        [Shown(address="/files/1 in 0", words="1 weiterer Datensatz verwendet diese Datei.")],
    ),
}


def answers(folder: Path, template: tuple[Path, DemoSite], scene: Scene, alter: Alter) -> dict[str, Answer]:
    """Everything the viewer can ask of content once the assignment has written."""
    with World(folder, template).open(alter) as world:
        started = world.start(scene)
        started.decide()
        with reading() as connection:
            numbers = numbers_in(connection, world.site)
        return world.content(scene.viewer, numbers)


@pytest.mark.behaviour("CH-18")
@pytest.mark.parametrize("name", SCENES)
def test_a_withheld_record_makes_no_difference_to_content(
    clock: FakeClock, tmp_path: Path, demo_template: tuple[Path, DemoSite], name: str
) -> None:
    make, shown = SCENES[name]
    scene = make(demo_template[1])
    first = answers(tmp_path / "one", demo_template, scene, scene.one)
    second = answers(tmp_path / "other", demo_template, scene, scene.other)
    assert first.keys() == second.keys()
    for asked, answer in first.items():
        assert answer.status < 500, asked
        assert differences(answer, second[asked]) == [], asked
        assert "Secret" not in (second[asked].body if "Secret" not in asked else ""), asked
    for item in shown:
        assert item.words in first[item.address].body, item
    if scene.fewer is not None:
        only_the_number_differs(first, answers(tmp_path / "fewer", demo_template, scene, scene.fewer))


def only_the_number_differs(first: dict[str, Answer], fewer: dict[str, Answer]) -> None:
    """The third world: one withheld record is missing."""
    for asked, answer in first.items():
        if "/deletion" not in asked:  # whether something may be deleted depends on what goes along
            assert differences(without_count(answer), without_count(fewer[asked])) == [], asked


COUNT = re.compile(
    r"<li>\d+ (?:further|weiterer?) (?:records?|Datens[^ ]+)[^<]*</li>"
    r"|<p>\d+ (?:further|weiterer?) [^<]*(?:this file|diese Datei)\.[^<]*</p>"
)


def without_count(answer: Answer) -> Answer:
    bare = without_note(answer)
    return replace(bare, body="\n".join(line for line in COUNT.sub("", bare.body).split("\n") if line.strip()))
