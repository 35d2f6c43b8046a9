"""Before the first message: what the configuration demands, and the switch that comes back with what was typed."""

from __future__ import annotations

import pytest

from app.accounts.preferences import choose_workspace
from app.agent.configurations import set_configuration
from app.chat import service
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.page import PageClient


@pytest.fixture
def strict(assignments: Assignments, site: DemoSite) -> Assignments:
    """A conversation of Anna, who works live, under a configuration that requires a draft workspace."""
    with transaction() as connection:
        set_configuration(connection, 1, requires_draft_workspace=True, excluded_tools=["delete_record"])
    choose_workspace(site.people.users["anna"], 0)
    return assignments


def test_switching_leads_back_to_the_conversation_with_its_text(
    strict: Assignments, site: DemoSite, anna: PageClient
) -> None:
    address = f"/conversations/{strict.id}"
    service.keep_draft(strict.identity_of("anna"), strict.id, "Hide the page Press", strict.runtime)
    page = anna.get(address)
    order = [str(form.get("id")) for form in page.all("main form[id]")]
    assert order.index("start-workspace-selection") < order.index("composer"), "it stands before the field"
    assert page.values("#start-workspace-selection")["next"] == f"{address}#message"
    done = anna.submit(page, "#start-workspace-selection", workspace="1")
    assert (done.status, done.location) == (303, f"{address}#message")
    again = anna.get(address)
    assert again.one("#message").get_text().strip() == "Hide the page Press"
    assert again.all("#start-workspace-selection") == []
    assert [item["data-start"] for item in again.all("#start-notes li[data-start]")] == ["excluded"]
    assert strict.identity_of("anna").workspace_id == 1


def test_it_says_what_is_demanded_before_the_first_message_only(strict: Assignments, anna: PageClient) -> None:
    address = f"/conversations/{strict.id}"
    page = anna.get(address)
    assert page.one("#start-notes h3").get_text() == "Before you start"
    assert [item["data-start"] for item in page.all("#start-notes li[data-start]")] == ["draft", "excluded"]
    strict.ask(DONE)
    assert anna.get(address).all("#start-notes") == []
