"""Who reads a conversation: three people, one list, and what each of them may do with it."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from flask import Flask
from sqlalchemy import delete, select, update

from app.accounts.store import GROUP, MEMBER, USER
from app.chat import readers, store
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock
from tests.support.page import markup_problems
from tests.support.statements import count_statements
from tests.support.visitor import Visitor, one, tree

UNKNOWN = "Nobody who can sign in and no group is called that. Check the spelling."


@pytest.fixture
def changed(assignments: Assignments, site: DemoSite) -> Assignments:
    """A conversation of Anna whose assistant hid a page."""
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    with transaction() as connection:
        connection.execute(update(USER).values(password_hash="x"))
    return assignments


def address(assignments: Assignments) -> str:
    return f"/conversations/{assignments.id}/readers"


def names(page: BeautifulSoup) -> list[str]:
    return [row.get_text() for row in page.select("[data-reader] .item-list__title")]


def rows(assignments: Assignments) -> list[tuple[int, int]]:
    columns = store.READER.c
    query = select(columns.user_id, columns.group_id).where(columns.conversation_id == assignments.id)
    with reading() as connection:
        return [(row.user_id, row.group_id) for row in connection.execute(query)]


def test_the_owner_shares_with_people_and_groups(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    user, group = site.people.users["ben"], site.people.groups["Editorial"]
    for name, anchor in (("ben", f"reader-person-{user}"), ("Editorial", f"reader-group-{group}")):
        response = anna.post(address(changed), name=f"  {name} ")
        assert (response.status_code, response.location) == (303, f"{address(changed)}#{anchor}")
        assert one(tree(anna.get(address(changed))), f"#{anchor}")
    assert rows(changed) == [(user, 0), (0, group)] or rows(changed) == [(0, group), (user, 0)]
    page = tree(anna.get(address(changed)))
    assert [entry.p.get_text() for entry in page.select("[data-sharing]") if entry.p] == [
        "Shared with “Editorial”",
        "Shared with “Ben Carter”",
    ]


def test_it_is_linked_from_the_conversation_by_what_one_may_do(
    app: Flask, site: DemoSite, changed: Assignments
) -> None:
    changed.share("ben")
    for name, words in (("anna", "Share"), ("ben", "Who reads this")):
        page = tree(Visitor(app, site, name).get(f"/conversations/{changed.id}"))
        assert one(page, f'a[href="{address(changed)}"]').get_text() == words


def test_three_people_see_three_things(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna, ben, emil = (Visitor(app, site, name) for name in ("anna", "ben", "emil"))
    anna.post(address(changed), name="ben")
    own, other = tree(anna.get(address(changed))), tree(ben.get(address(changed)))
    assert names(own) == names(other)
    assert len(own.select("main form")) == 2
    assert other.select("main form, [data-sharing]") == []
    assert "this is you" in one(other, "[data-reader]").get_text()
    assert emil.get(address(changed)).status_code == 404
    for visitor in (ben, emil):
        assert visitor.post(address(changed), name="emil").status_code == 404
        assert visitor.post(f"{address(changed)}/removal", person=site.people.users["ben"]).status_code == 404
    assert rows(changed) == [(site.people.users["ben"], 0)]


@pytest.mark.behaviour("CH-16", "CH-21")
def test_a_reader_gets_the_list_by_their_own_rights_and_loses_it_at_once(
    app: Flask, site: DemoSite, changed: Assignments
) -> None:
    anna, dora, fay = (Visitor(app, site, name) for name in ("anna", "dora", "fay"))
    for name in ("dora", "fay"):
        anna.post(address(changed), name=name)
    listed = f"/conversations/{changed.id}/changes"
    assert len(tree(dora.ask(listed)).select("[data-record]")) == 1
    assert tree(fay.ask(listed)).select("[data-record]") == []
    response = anna.post(f"{address(changed)}/removal", person=site.people.users["dora"])
    assert (response.status_code, response.location) == (303, f"{address(changed)}#readers")
    for asked in (listed, address(changed), f"/conversations/{changed.id}", f"/conversations/{changed.id}/updates"):
        assert dora.ask(asked).status_code == 404, asked
        assert fay.ask(asked).status_code in {200, 204}, asked


def test_a_group_gives_access_while_one_is_in_it(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna, dora = Visitor(app, site, "anna"), Visitor(app, site, "dora")
    anna.post(address(changed), name="German desk")
    assert dora.get(address(changed)).status_code == 200
    with transaction() as connection:
        connection.execute(delete(MEMBER).where(MEMBER.c.group_id == site.people.groups["German desk"]))
    assert dora.get(address(changed)).status_code == 404


@pytest.mark.behaviour("CH-18")
def test_a_reader_learns_no_title_of_a_group_they_are_not_in(app: Flask, site: DemoSite, changed: Assignments) -> None:
    changed.share("emil", "German desk")
    page = tree(Visitor(app, site, "emil").get(address(changed)))
    assert "German desk" not in page.get_text()
    assert one(page, "[data-unnamed]").get_text() == "1 group you do not belong to."
    assert len(names(page)) == 1
    assert "German desk" in tree(Visitor(app, site, "dora").get(address(changed))).get_text()


@pytest.mark.parametrize("name", ["", "   ", "nobody-here", "x" * 5000, "ANNA", "cem"])
def test_it_refuses_names_nobody_has_who_can_sign_in(
    app: Flask, site: DemoSite, changed: Assignments, name: str
) -> None:
    with transaction() as connection:
        connection.execute(update(USER).where(USER.c.username == "cem").values(disabled=True))
    response = Visitor(app, site, "anna").post(address(changed), name=name)
    page = tree(response)
    assert response.status_code == 422
    assert one(page, "title").get_text().startswith("Error: ")
    assert one(page, ".error-summary a")["href"] == "#name"
    assert one(page, "#name").get("value") == name
    expected = UNKNOWN if name.strip() else "Enter the name of a person or of a group."
    assert expected in one(page, ".error-summary").get_text()
    assert markup_problems(response.get_data(as_text=True)) == []
    assert rows(changed) == []


@pytest.mark.parametrize(
    "values", [{"disabled": True}, {"deleted": True}, {"endtime": 5}, {"starttime": 2**40}, {"password_hash": None}]
)
def test_somebody_who_cannot_sign_in_is_answered_like_nobody(
    clock: FakeClock, app: Flask, site: DemoSite, changed: Assignments, values: dict[str, object]
) -> None:
    with transaction() as connection:
        connection.execute(update(USER).where(USER.c.username == "ben").values(**values))
    anna = Visitor(app, site, "anna")
    bodies = [anna.post(address(changed), name=name).get_data(as_text=True) for name in ("ben", "nix")]
    assert UNKNOWN in bodies[0]
    first, second = (tree_text.replace(name, "NAME") for tree_text, name in zip(bodies, ("ben", "nix"), strict=True))
    assert BeautifulSoup(first, "html5lib").get_text() == BeautifulSoup(second, "html5lib").get_text()
    assert rows(changed) == []


def test_sharing_twice_and_taking_back_twice_change_nothing(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna, ben = Visitor(app, site, "anna"), site.people.users["ben"]
    assert [anna.post(address(changed), name="ben").status_code for _ in range(2)] == [303, 303]
    assert rows(changed) == [(ben, 0)]
    assert [anna.post(f"{address(changed)}/removal", person=ben).status_code for _ in range(2)] == [303, 303]
    page = tree(anna.get(address(changed)))
    assert len(page.select("[data-sharing]")) == 2
    assert "Nobody else has been given access." in page.get_text()


def test_taking_back_names_nobody_who_was_never_given_access(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    for fields in ({"person": site.people.users["gus"]}, {"person": 99}, {"group": "x"}, {}):
        assert anna.post(f"{address(changed)}/removal", **fields).status_code == 303
        assert "This access was taken back already." in tree(anna.get(address(changed))).get_text()


def test_one_does_not_share_with_oneself(app: Flask, site: DemoSite, changed: Assignments) -> None:
    response = Visitor(app, site, "anna").post(address(changed), name="anna")
    assert response.status_code == 422
    assert "your own conversation" in response.get_data(as_text=True)


def test_a_full_name_only_one_person_has_will_do(app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    with transaction() as connection:
        people = USER.c.username
        connection.execute(update(USER).where(people == "ben").values(name="Ben the One"))
        connection.execute(update(USER).where(people.in_(["dora", "emil"])).values(name="The Same"))
    assert anna.post(address(changed), name="Ben the One").status_code == 303
    assert anna.post(address(changed), name="The Same").status_code == 422
    assert rows(changed) == [(site.people.users["ben"], 0)]


def test_names_cannot_be_tried_without_end(clock: FakeClock, app: Flask, site: DemoSite, changed: Assignments) -> None:
    anna = Visitor(app, site, "anna")
    for number in range(readers.SHARINGS_PER_MINUTE):
        assert anna.post(address(changed), name=f"nobody-{number}").status_code == 422
    assert anna.post(address(changed), name="ben").status_code == 429
    clock.advance(61)
    assert anna.post(address(changed), name="ben").status_code == 303


def test_the_command_line_is_named_in_the_record(app: Flask, site: DemoSite, changed: Assignments) -> None:
    changed.share("Editorial")
    with transaction() as connection:
        readers.take_back(connection, changed.id, "Editorial")
        readers.take_back(connection, changed.id, "Editorial")
    page = tree(Visitor(app, site, "anna").get(address(changed)))
    assert [entry.p.get_text() for entry in page.select("[data-sharing]") if entry.p] == [
        "Access of “Editorial” taken back on the command line",
        "Shared with “Editorial” on the command line",
    ]


def test_the_list_costs_the_same_for_one_reader_and_for_many(app: Flask, site: DemoSite, changed: Assignments) -> None:
    from app.chat.reader_list import list_readers

    identity, counted = changed.identity_of("anna"), []
    for others in (["ben"], ["cem", "dora", "emil", "fay", "gus", "Editorial", "German desk"]):
        changed.share(*others)
        with count_statements() as seen, reading() as connection:
            list_readers(connection, identity, changed.id)
        counted.append(len([statement for statement in seen if "FROM" in statement]))
    assert counted[0] == counted[1] <= 5


def test_deleted_readers_are_not_listed(app: Flask, site: DemoSite, changed: Assignments) -> None:
    changed.share("ben", "Editorial")
    with transaction() as connection:
        connection.execute(update(USER).where(USER.c.username == "ben").values(deleted=True))
        connection.execute(update(GROUP).where(GROUP.c.title == "Editorial").values(deleted=True))
    assert names(tree(Visitor(app, site, "anna").get(address(changed)))) == []


def test_the_page_is_valid_in_both_languages(app: Flask, site: DemoSite, changed: Assignments) -> None:
    changed.share("ben", "Editorial")
    anna = Visitor(app, site, "anna")
    anna.post("/preferences", language="de")
    assert markup_problems(anna.get(address(changed)).get_data(as_text=True)) == []
