"""Withheld means non-interference (I3): two worlds that differ only in a withheld record answer the viewer byte for byte alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Connection, Table, update

from app.content.models import ContentElement
from app.content.models import Page as PageModel
from app.seed.demo import DemoSite
from tests.support.assignments import Call
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, tree
from tests.support.worlds import Scene, World, as_it_is, differences, without_note

PAGE: Table = PageModel.__table__
ELEMENT: Table = ContentElement.__table__
FRENCH = 2
LONG = "Secret-" * 150


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
