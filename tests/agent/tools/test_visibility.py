from __future__ import annotations

import pytest

from app.agent.tools.visibility import HIDEABLE
from tests.agent.tools.bench import LIVE, Bench


def some(bench: Bench, table: str) -> int:
    """A record of the table that is not hidden."""
    return {
        "pages": lambda: bench.page("hours"),
        "content_elements": lambda: bench.one("content_elements", header="Summer"),
        "contacts": lambda: bench.one("contacts", name="Mara Holt"),
    }[table]()


@pytest.mark.parametrize("table", HIDEABLE)
def test_it_hides_and_shows_a_record_live(bench: Bench, table: str) -> None:
    uid = some(bench, table)
    done = bench.write("hide_record", table=table, uid=uid)
    assert bench.row(table, uid)["hidden"]
    assert done.content == {"done": "hide", "uid": uid, "hidden": True}
    back = bench.write("publish_record", table=table, uid=uid)
    assert not bench.row(table, uid)["hidden"]
    assert back.content == {"done": "publish", "uid": uid, "hidden": False}
    assert (done.result.kind, back.result.kind) == ("hide", "publish")
    assert done.heading.startswith("Hide the ")
    assert back.heading.startswith("Clear the hidden mark of the ")


@pytest.mark.behaviour("DW-20")
def test_it_clears_the_mark_in_a_draft_only_of_the_version(bench: Bench) -> None:
    before, archive = bench.live(), bench.page("archive")
    done = bench.write("publish_record", workspace=bench.draft, table="pages", uid=archive)
    assert bench.live() == before
    assert bench.row("pages", archive)["hidden"]
    assert done.result.target is not None
    version = bench.row("pages", done.result.target.uid)
    assert (version["hidden"], version["workspace_id"], version["live_uid"]) == (False, bench.draft, archive)
    rows = bench.rows("pages", workspace_id=bench.draft)
    assert [row["live_uid"] for row in rows] == [archive], "one row and no other"


@pytest.mark.behaviour("CM-05")
@pytest.mark.parametrize("in_draft", [False, True])
@pytest.mark.parametrize(
    ("tool", "key", "hidden"), [("hide_record", "archive", True), ("publish_record", "hours", False)]
)
def test_it_writes_nothing_when_it_is_so_already(
    bench: Bench, tool: str, key: str, hidden: bool, in_draft: bool
) -> None:
    before, uid = bench.state(), bench.page(key)
    done = bench.write(tool, workspace=bench.draft if in_draft else LIVE, table="pages", uid=uid)
    assert bench.state() == before
    assert done.content == {"unchanged": True, "uid": uid, "hidden": hidden}
    assert done.changes.changes == ()


@pytest.mark.behaviour("RT-18")
@pytest.mark.parametrize("tool", ["hide_record", "publish_record"])
def test_it_says_the_same_of_a_missing_record_and_one_of_somebody_else(bench: Bench, tool: str) -> None:
    keys = bench.one("content_elements", header="Keys")
    answers = {bench.refused(tool, table="pages", uid=uid) for uid in (999_999, bench.page("staff"))}
    answers |= {bench.refused(tool, table="content_elements", uid=uid) for uid in (999_999, keys)}
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


def test_it_claims_no_success_for_a_mark_that_was_not_saved(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.content.types import RecordRef
    from app.content.writer import Batch

    monkeypatch.setattr(Batch, "set_hidden", lambda _batch, table, uid, hidden: RecordRef(table=table, uid=uid))
    monkeypatch.setattr(Batch, "mark_target", lambda _batch, _ref: None)
    assert bench.refused("hide_record", table="pages", uid=bench.page("hours"))[0] == "not_saved"
