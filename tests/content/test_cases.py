"""The thirty cases of cms.md section 18, by their numbers, as amended by behaviours.md CM-08, D9 and D10."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import delete, update

from app.accounts.store import GROUP, WORKSPACE, WORKSPACE_MEMBER
from app.content import rights
from app.content.schema import FILES, PAGES
from app.content.types import RecordRef, VersionState
from app.content.writer import discard_workspace
from app.core.db import reading
from app.core.i18n import render
from app.seed.demo import DemoSite
from tests.content.reports import LIVE, OLD_DRAFT, RELAUNCH, Reports
from tests.support.assignments import DONE, Assignments

pytestmark = pytest.mark.behaviour("CM-08")


@pytest.fixture
def reports(assignments: Assignments, site: DemoSite) -> Reports:
    """Anna's conversation with one run."""
    return Reports(assignments, site)


def test_it_case_01_created_then_changed_is_one_created_row(reports: Reports) -> None:
    hours = reports.page("hours")
    (made,) = reports.report(lambda b: b.create("content_elements", hours, {"header": "New"})).changes
    reports.report(lambda b: b.set_hidden("content_elements", made.uid, hidden=True))
    (found,) = reports.seen()
    assert (found["action"], found["hidden"], found["uid"]) == ("created", True, made.uid)
    assert reports.row("content_elements", uid=made.uid)["version_state"] == VersionState.NEW


def test_it_case_02_created_then_deleted_is_gone_in_a_draft_and_listed_in_live(reports: Reports) -> None:
    hours = reports.page("hours")
    for workspace in (RELAUNCH, LIVE):
        (made,) = reports.report(
            lambda b: b.create("content_elements", hours, {"header": "New"}), workspace=workspace
        ).changes
        reports.report(lambda b, uid=made.uid: b.delete("content_elements", uid), workspace=workspace)
    (found,) = reports.seen()
    assert (found["action"], found["workspace"]) == ("deleted", LIVE)
    assert reports.note("withheld") == 1


def test_it_case_03_changed_then_deleted_in_a_draft_is_one_deleted_row(reports: Reports) -> None:
    summer = reports.element("Summer")
    (changed,) = reports.report(lambda b: b.update("content_elements", summer, {"header": "x"})).changes
    reports.report(lambda b: b.delete("content_elements", summer))
    (record,) = reports.view().records
    (found,) = reports.seen()
    assert (found["action"], found["uid"], found["workspace"]) == ("deleted", changed.uid, RELAUNCH)
    assert record.history_url is None


def test_it_case_04_deleted_in_a_draft_stands_in_live(reports: Reports) -> None:
    summer = reports.element("Summer")
    before = reports.row("content_elements", uid=summer)
    reports.report(lambda b: b.delete("content_elements", summer))
    assert reports.row("content_elements", uid=summer) == before
    assert reports.row("content_elements", live_uid=summer)["version_state"] == VersionState.DELETED
    (found,) = reports.seen()
    assert (found["action"], found["workspace"]) == ("deleted", RELAUNCH)


def test_it_case_05_a_mark_discarded_by_hand_is_withheld(reports: Reports) -> None:
    (mark,) = reports.report(lambda b: b.delete("content_elements", reports.element("Summer"))).changes
    reports.discard(RecordRef(table="content_elements", uid=mark.uid))
    assert (reports.seen(), reports.note("withheld")) == ([], 1)


@pytest.mark.parametrize("workspace", [RELAUNCH, LIVE])
def test_it_case_06_moved_to_a_page_out_of_sight_is_withheld(reports: Reports, workspace: int) -> None:
    summer, board = reports.element("Summer"), reports.element("This month")
    reports.report(lambda b: b.move("content_elements", summer, page_uid=reports.page("staff")), workspace=workspace)
    reports.report(lambda b: b.move("content_elements", board, page_uid=reports.page("hours")), workspace=workspace)
    (found,) = reports.seen()
    assert (found["action"], reports.view().records[0].live_uid) == ("moved", board)
    assert reports.note("withheld") == 1


@pytest.mark.parametrize("workspace", [RELAUNCH, LIVE])
def test_it_case_07_a_page_moved_out_of_sight_is_judged_there_with_its_content(
    reports: Reports, workspace: int
) -> None:
    hours, summer = reports.page("hours"), reports.element("Summer")
    reports.report(lambda b: b.update("content_elements", summer, {"header": "x"}), workspace=workspace)
    assert len(reports.seen()) == 1
    reports.report(lambda b: b.move("pages", hours, page_uid=reports.page("staff")), workspace=workspace)
    assert (reports.seen(), reports.note("withheld")) == ([], 2)
    assert len(reports.seen("admin")) == 2


def test_it_case_08_a_translation_in_a_forbidden_language_is_withheld_alone(reports: Reports) -> None:
    visit = reports.page("visit")
    french = reports.row("pages", translation_parent=visit, language_id=2)["uid"]
    reports.report(lambda b: (b.update("pages", visit, {"title": "x"}), b.update("pages", french, {"title": "y"})))
    assert [found["language"] for found in reports.seen("dora")] == ["en"]
    assert reports.note("withheld", "dora") == 1
    reports.run_sql(update(GROUP).where(GROUP.c.title == "German desk").values(languages="[2]"))
    assert [found["language"] for found in reports.seen("dora")] == ["fr"]


def test_it_case_09_a_translated_page_has_the_rights_of_its_page(reports: Reports) -> None:
    visit = reports.page("visit")
    german = reports.row("pages", translation_parent=visit, language_id=1)["uid"]
    reports.report(lambda b: b.update("pages", german, {"title": "Besuch"}))
    reports.report(lambda b: b.update("pages", german, {"title": "Besuche"}))
    assert [found["language"] for found in reports.seen("dora")] == ["de"]
    assert reports.seen("emil") == []  # the page lies outside his mount
    reports.run_sql(update(PAGES.table).where(PAGES.table.c.uid == visit).values(group_bits=0))
    assert reports.seen("dora") == []
    reports.run_sql(
        update(PAGES.table).where(PAGES.table.c.uid == visit).values(group_bits=31),
        update(GROUP).where(GROUP.c.title == "German desk").values(languages="[0]"),
    )
    assert reports.seen("dora") == []


def test_it_case_10_a_page_deleted_live_is_listed_with_its_content(reports: Reports) -> None:
    changes = reports.report(lambda b: b.delete("pages", reports.page("tickets")), workspace=LIVE).changes
    assert len(changes) > 3
    assert {found["action"] for found in reports.seen()} == {"deleted"}
    assert len(reports.seen()) == len(changes)
    assert (reports.seen("emil"), reports.note("withheld", "emil")) == ([], len(changes))


def test_it_case_11_a_subpage_out_of_sight_is_not_copied_at_all(reports: Reports) -> None:
    visit, about = reports.page("visit"), reports.page("about")
    reports.report(lambda b: b.copy_page(visit, about, subpages=True), acting="anna")
    titles = {row["title"] for row in reports.rows("pages", workspace_id=RELAUNCH)}
    assert "Opening hours" in titles
    assert not {"Staff area", "Rota"} & titles
    assert reports.note("withheld") == 0


def test_it_case_12_metadata_follows_the_file_into_and_out_of_mounts(reports: Reports) -> None:
    file_uid = reports.row("files", path="/press-archive/opening.png")["uid"]
    metadata = reports.row("file_metadata", file_uid=file_uid, language_id=0, workspace_id=0)["uid"]
    reports.report(lambda b: b.update("file_metadata", metadata, {"title": "x"}))
    assert (reports.seen(), reports.note("withheld")) == ([], 1)
    reports.run_sql(update(FILES.table).where(FILES.table.c.uid == file_uid).values(path="/press/opening.png"))
    assert [found["table"] for found in reports.seen()] == ["file_metadata"]


def test_it_case_13_metadata_removed_is_gone_for_good(reports: Reports) -> None:
    file_uid = reports.row("files", path="/press/house.png")["uid"]
    metadata = reports.row("file_metadata", file_uid=file_uid, language_id=0, workspace_id=0)["uid"]
    changes = reports.report(lambda b: b.delete("file_metadata", metadata), workspace=LIVE).changes
    assert reports.rows("file_metadata", uid=metadata) == []
    assert (reports.seen("admin"), reports.note("withheld")) == ([], len(changes))
    assert len(changes) == 2  # its translation went along


def test_it_case_14_a_redirect_has_no_language_and_needs_no_page(reports: Reports) -> None:
    reports.report(lambda b: b.create("redirects", 0, {"source": "/old", "target_page": 1}), workspace=LIVE)
    (found,) = reports.seen("emil")
    assert (found["table"], found["workspace"], "language" in found) == ("redirects", LIVE, False)
    reports.run_sql(
        update(GROUP).values(tables_select='["pages"]', tables_modify="[]").where(GROUP.c.title == "Editorial")
    )
    assert reports.seen("emil") == []


def test_it_case_15_an_admin_only_table_is_shown_to_administrators(reports: Reports) -> None:
    reports.report(lambda b: b.create("site_settings", 0, {"name": "mode", "value": "x"}), workspace=LIVE)
    assert (reports.seen(), reports.note("withheld")) == ([], 1)
    assert [found["table"] for found in reports.seen("admin")] == ["site_settings"]


def test_it_case_16_two_drafts_are_two_rows(reports: Reports) -> None:
    hours = reports.page("hours")
    reports.report(lambda b: b.update("pages", hours, {"title": "One"}), workspace=RELAUNCH)
    reports.add_run()
    reports.report(lambda b: b.update("pages", hours, {"title": "Two"}), workspace=OLD_DRAFT)
    assert [found["workspace"] for found in reports.seen()] == [RELAUNCH, OLD_DRAFT]
    assert len({record.uid for record in reports.view().records}) == 2


@pytest.mark.behaviour("CH-20")
def test_it_case_17_published_meanwhile_says_so_and_is_judged_by_its_live_row(reports: Reports) -> None:
    hours, summer = reports.page("hours"), reports.element("Summer")
    (made,) = reports.report(lambda b: b.create("pages", hours, {"title": "New"})).changes
    reports.report(lambda b: b.update("content_elements", summer, {"header": "x"}))
    (gone,) = reports.report(lambda b: b.delete("content_elements", reports.element("Winter"))).changes
    assert not any("since" in found for found in reports.seen("admin"))
    reports.publish()
    found = reports.seen("admin")
    assert [(item["action"], item["workspace"], item["since"]) for item in found] == [
        ("created", RELAUNCH, "published"),
        ("updated", RELAUNCH, "published"),
        ("deleted", RELAUNCH, "published"),
    ]
    assert [record.live_uid for record in reports.view("admin").records] == [made.uid, summer, gone.live_uid]
    assert reports.seen() == found[1:]  # the new page belongs to who made it
    # Judged by the live row: it needs live now, and no longer the draft.
    reports.run_sql(update(GROUP).values(live=False))
    assert (reports.seen(), reports.note("withheld")) == ([], 3)
    assert len(reports.seen("admin")) == 3


@pytest.mark.behaviour("CH-20")
def test_it_case_17_discarded_meanwhile_is_gone_for_good(reports: Reports) -> None:
    reports.report(lambda b: b.update("content_elements", reports.element("Summer"), {"header": "x"}))
    reports.discard()
    assert (reports.seen("admin"), reports.note("withheld", "admin")) == ([], 1)


def workspace_labels(reports: Reports, viewer: str) -> list[str]:
    return [
        render(fact.label, "en")
        for record in reports.view(viewer).records
        for fact in record.facts
        if fact.name == "workspace"
    ]


def test_it_case_18_a_deleted_workspace_keeps_its_number_only(reports: Reports) -> None:
    hours, summer = reports.page("hours"), reports.element("Summer")
    (first,) = reports.report(lambda b: b.update("pages", hours, {"title": "x"})).changes
    reports.report(lambda b: b.update("content_elements", summer, {"header": "x"}))
    reports.publish(RecordRef(table="pages", uid=first.uid))
    reports.by_hand(discard_workspace)
    reports.run_sql(update(WORKSPACE).where(WORKSPACE.c.id == RELAUNCH).values(deleted=True))
    for viewer in ("anna", "admin"):
        assert [found["table"] for found in reports.seen(viewer)] == ["pages"]
        assert reports.note("withheld", viewer) == 1
        assert workspace_labels(reports, viewer) == ["Workspace no. 1 (title not visible to you)"]


def test_it_case_19_membership_withdrawn_takes_the_draft_rows_only(reports: Reports) -> None:
    hours = reports.page("hours")
    reports.report(lambda b: b.update("pages", hours, {"title": "x"}))
    reports.report(lambda b: b.update("pages", hours, {"title": "y"}), workspace=LIVE)
    assert len(reports.seen()) == 2
    reports.run_sql(
        delete(WORKSPACE_MEMBER).where(
            WORKSPACE_MEMBER.c.workspace_id == RELAUNCH,
            WORKSPACE_MEMBER.c.user_id == reports.site.people.users["anna"],
        )
    )
    assert [found["workspace"] for found in reports.seen()] == [LIVE]
    assert reports.note("withheld") == 1


def test_it_case_20_a_table_taken_away_takes_its_records_and_not_the_list(reports: Reports) -> None:
    hours = reports.page("hours")
    reports.report(lambda b: b.update("pages", hours, {"title": "x"}))
    reports.report(lambda b: b.update("content_elements", reports.element("Summer"), {"header": "x"}))
    reports.run_sql(
        update(GROUP).values(tables_select='["pages"]', tables_modify="[]").where(GROUP.c.title == "Editorial")
    )
    assert [found["table"] for found in reports.seen()] == ["pages"]
    assert (reports.note("withheld"), reports.note("unreadable")) == (1, 0)


@pytest.mark.behaviour("CM-05")
def test_it_case_21_an_update_of_nothing_leaves_no_trace(assignments: Assignments, site: DemoSite) -> None:
    call = ("update_page_metadata", {"page": site.pages["hours"], "title": "Opening hours"})
    assignments.ask([call], DONE)
    assignments.decide()
    assert assignments.changes().records == ()
    assert not assignments.page().view.has_changes


def test_it_case_22_a_field_dropped_silently_makes_the_write_partial(reports: Reports) -> None:
    hours = reports.page("hours")
    (changed,) = reports.report(
        lambda b: b.update("pages", hours, {"title": "x", "keywords": "a, b"}),
        acting="ben",
        target=RecordRef(table="pages", uid=hours),
        partial=True,
    ).changes
    assert [field.name for field in changed.fields] == ["title"]
    (found,) = reports.seen()
    assert (found["partial"], found["role"]) == (True, "target")


def test_it_case_23_what_was_saved_before_a_refusal_is_listed_as_failed(reports: Reports) -> None:
    hours, staff = reports.page("hours"), reports.page("staff")
    reports.report(
        lambda b: b.update("pages", hours, {"title": "x"}),
        lambda b: b.update("pages", staff, {"title": "y"}),
        acting="anna",
    )
    (found,) = reports.seen("admin")
    assert (found["uid"], found["failed"]) == (reports.row("pages", live_uid=hours)["uid"], True)


def test_it_case_24_a_translation_that_could_not_be_hidden_says_not_hidden(reports: Reports) -> None:
    german = reports.report(
        lambda b: b.create("content_elements", reports.page("hours"), {"header": "Sommer"}, language_id=1),
        lambda b: b.set_hidden("content_elements", 999_999, hidden=True),
        acting="anna",
    ).changes[0]
    (record,) = reports.view().records
    (found,) = reports.seen()
    assert (found["uid"], found["action"], found["hidden"], found["failed"]) == (german.uid, "created", False, True)
    assert "not hidden" in [render(fact.label, "en") for fact in record.facts]


def test_it_case_25_a_file_reference_is_changed_along_with_its_own_facts(reports: Reports) -> None:
    hours = reports.page("hours")
    picture = reports.row("files", path="/editorial/ferry.png")["uid"]

    def write(batch: object) -> RecordRef:
        element: RecordRef = batch.create("content_elements", hours, {"header": "New", "endtime": 5})  # type: ignore[attr-defined]
        owner = {"owner_table": "content_elements", "owner_uid": element.uid, "owner_field": "images"}
        batch.create("file_references", hours, {**owner, "file_uid": picture})  # type: ignore[attr-defined]
        return element

    reports.report(write)
    element, reference = reports.seen()
    assert (element["role"], "until" in element) == ("target", True)
    assert (reference["role"], reference["hidden"]) == ("along", False)
    assert not {"from", "until", "groups"} & set(reference)


def test_it_case_26_what_does_not_fit_is_one_number(reports: Reports) -> None:
    hours = reports.page("hours")
    for number in (60, 40, 40):
        reports.report(
            lambda b, n=number: [b.create("content_elements", hours, {"header": f"{n} {i}"}) for i in range(n)]
        )
    assert len(reports.seen()) == 100
    assert reports.note("omitted") == 140 - 100


def test_it_case_27_without_edit_grant_the_title_has_no_link(reports: Reports) -> None:
    reports.report(lambda b: b.update("pages", reports.page("hours"), {"title": "x"}))
    (own,) = reports.view().records
    assert (own.edit_url is not None, own.workspace_url) == (True, f"/workspaces/{RELAUNCH}")
    reports.run_sql(
        update(GROUP).values(tables_select='["pages"]', tables_modify="[]").where(GROUP.c.title == "Editorial")
    )
    (other,) = reports.view("dora").records  # she stands in live
    assert (other.edit_url, other.workspace_url) == (None, None)
    assert other.history_url is not None
    assert other.history_url.endswith(f"workspace={RELAUNCH}")


def test_it_case_28_somebody_without_groups_may_edit_a_page_they_own(reports: Reports) -> None:
    hours, gus = reports.page("hours"), reports.site.people.users["gus"]
    person = replace(
        reports.person("gus"),
        tables_modify=frozenset({"pages"}),
        page_mounts=frozenset({hours}),
        workspaces={RELAUNCH: "Relaunch"},
    )
    assert person.group_ids == ()
    reports.run_sql(
        update(PAGES.table).where(PAGES.table.c.uid == hours).values(owner_id=gus, owner_bits=31, group_bits=0)
    )
    with reading() as connection:
        assert rights.require_update(connection, person, RELAUNCH, "pages", hours).uid == hours


def test_it_case_29_mounts_narrowed_in_a_workspace_withhold_its_rows_only(reports: Reports) -> None:
    hours = reports.page("hours")
    reports.report(lambda b: b.update("pages", hours, {"title": "x"}))
    reports.report(lambda b: b.update("pages", hours, {"title": "y"}), workspace=LIVE)
    narrowed = f"[{reports.page('exhibitions')}]"
    reports.run_sql(update(WORKSPACE).where(WORKSPACE.c.id == RELAUNCH).values(page_mounts=narrowed))
    assert [found["workspace"] for found in reports.seen()] == [LIVE]
    assert reports.note("withheld") == 1


def test_it_case_30_the_title_is_of_now_and_the_facts_are_as_observed(reports: Reports) -> None:
    hours = reports.page("hours")
    reports.report(lambda b: b.set_hidden("pages", hours, hidden=True))
    reports.write_by_hand(lambda b: b.update("pages", hours, {"title": "By hand", "hidden": False}), RELAUNCH)
    (record,) = reports.view().records
    (found,) = reports.seen()
    assert (record.title, found["hidden"]) == ("By hand", True)
