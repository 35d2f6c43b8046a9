"""The table of cms.md section 17, row by row: what a configuration refuses that requires a draft workspace."""

from __future__ import annotations

import pytest

from app.content.errors import WriteRefused
from app.policy.decisions import ALLOWED
from app.policy.identity import Identity
from app.policy.invocation import ToolFacts
from app.policy.rules.draft_workspace import RequireDraftWorkspace
from tests.content.writer.fixtures import ANNA, LIVE, Store
from tests.content.writer.fixtures import DRAFT as STORE_DRAFT
from tests.content.writer.fixtures import store as store
from tests.policy import people
from tests.policy.people import DRAFT, call, person

IN_DRAFT, ADMIN = person(), person(is_admin=True)
LOST = person(workspace_id=None, workspaces={})
REDIRECTS = ToolFacts(name="create_redirect", group="editing", effect=people.WRITE.effect)

ROWS: list[tuple[str, ToolFacts, int | None, Identity | None, str | None]] = [
    ("read", people.READ, LIVE, IN_DRAFT, None),
    ("read of nobody", people.READ, None, None, None),
    ("undeclared effect without approval", people.UNDECLARED, LIVE, IN_DRAFT, None),
    ("remote write, live", people.REMOTE, LIVE, ADMIN, "remote_write"),
    ("remote write, draft", people.REMOTE, DRAFT, IN_DRAFT, "remote_write"),
    ("remote tool that declares nothing", people.REMOTE_FREE, DRAFT, IN_DRAFT, "remote_write"),
    ("local write, recorded live", people.WRITE, LIVE, IN_DRAFT, "live_workspace"),
    ("local write, recorded nothing", people.WRITE, None, IN_DRAFT, "live_workspace"),
    ("local write, recorded nowhere", people.WRITE, -99, IN_DRAFT, "live_workspace"),
    ("local write of an administrator in live", people.WRITE, LIVE, ADMIN, "live_workspace"),
    ("undeclared effect that needs approval, live", people.UNDECLARED_APPROVAL, LIVE, ADMIN, "live_workspace"),
    ("local write in the draft", people.WRITE, DRAFT, IN_DRAFT, None),
    ("local write in a draft that is lost", people.WRITE, DRAFT, LOST, "workspace_unavailable"),
    ("local write of nobody", people.WRITE, DRAFT, None, "workspace_unavailable"),
    ("writer of a table that is not versioned, draft", REDIRECTS, DRAFT, IN_DRAFT, None),
    ("writer of a table that is not versioned, live", REDIRECTS, LIVE, ADMIN, "live_workspace"),
]


@pytest.mark.behaviour("CM-08")
@pytest.mark.parametrize(
    ("tool", "recorded", "acting", "expected"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS]
)
def test_it_refuses_by_the_table(
    tool: ToolFacts, recorded: int | None, acting: Identity | None, expected: str | None
) -> None:
    decision = RequireDraftWorkspace().decide(call(tool, recorded=recorded, acting=acting))
    assert (None if decision is ALLOWED else decision.reason) == expected  # type: ignore[union-attr]
    relaxed = RequireDraftWorkspace().decide(call(tool, recorded=recorded, acting=acting, required=False))
    assert relaxed is ALLOWED


@pytest.mark.behaviour("CM-08", "DW-21")
def test_it_is_the_writer_itself_that_refuses_an_unversioned_table_in_a_draft(store: Store) -> None:
    with pytest.raises(WriteRefused, match="not_versioned"):
        store.do(lambda b: b.create("redirects", 0, {"source": "/x"}), STORE_DRAFT, ANNA)
    store.do(lambda b: b.create("redirects", 0, {"source": "/x"}), LIVE, ANNA)
