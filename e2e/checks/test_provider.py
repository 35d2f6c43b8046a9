"""A model of a provider on loopback that refuses, asks to wait and comes back: what people see, with and without script."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.agent.configurations import set_configuration
from app.config import Settings
from app.core.db import transaction
from app.seed.demo import DemoSite
from e2e.conftest import Server
from e2e.pages.journey import Journey
from tests.support.provider_server import ProviderServer, Reply

pytestmark = pytest.mark.browser
REFUSED = Reply(status=401, raw=b"{}")
LATER = Reply(status=429, raw=b"{}", headers={"Retry-After": "3600"})


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """A provider on loopback."""
    found = ProviderServer()
    yield found
    found.stop()


@pytest.fixture
def server(demo_folder: tuple[Path, DemoSite], tmp_path: Path, provider: ProviderServer) -> Iterator[Server]:
    """The product with that provider behind the configuration Editorial."""
    folder, site = demo_folder
    data = tmp_path / "data"
    shutil.copytree(folder, data)
    settings = Settings.from_environment(
        {}, data=str(data), timezone="UTC", openai_base_url=f"{provider.address}/v1", openai_api_key="sk-any"
    )
    found = Server(settings, site)
    with found.app.app_context(), transaction() as connection:
        set_configuration(connection, 1, model="openai:small")
    yield found
    found.stop()


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_a_failed_assignment_is_tried_again(
    open_journey: Callable[..., Journey], provider: ProviderServer, scripts: bool
) -> None:
    provider.will(REFUSED)
    anna = open_journey("anna", scripts=scripts)
    page = anna.page
    anna.new_conversation()
    anna.send("Which languages are there?")
    reach(anna, "failed", scripts)
    retry = page.locator("#retry-form button")
    expect(retry).to_be_visible()
    expect(page.locator("#status-detail")).to_contain_text("The administration has been told.")
    provider.will(Reply(text="There are three."))
    retry.click()
    reach(anna, "idle", scripts)
    expect(page.locator("#log > li")).to_have_count(2)
    expect(page.locator("#log > li").last).to_contain_text("There are three.")
    expect(page.locator("#retry-form")).to_be_hidden()


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_the_status_line_says_until_when_it_waits(
    open_journey: Callable[..., Journey], provider: ProviderServer, scripts: bool
) -> None:
    provider.will(LATER)
    anna = open_journey("anna", scripts=scripts)
    page = anna.page
    anna.new_conversation()
    anna.send("Hello")
    line = page.locator("#statusline")
    if not scripts:
        expect(line).to_have_attribute("data-status", "working")
        until_said(anna, "Waiting for the AI model, continues on ")
    expect(line).to_contain_text("Waiting for the AI model, continues on ")
    expect(line).to_have_attribute("data-status", "working")
    said = line.inner_text()
    page.reload()
    expect(line).to_have_text(said)
    page.locator("#stop-form button").click()
    reach(anna, "idle", scripts)
    assert len(provider.asked) == 1


def test_an_administrator_is_told_and_tests_the_connection(
    open_journey: Callable[..., Journey], provider: ProviderServer
) -> None:
    provider.will(REFUSED)
    anna, admin = open_journey("anna"), open_journey("admin")
    anna.new_conversation()
    anna.send("Hello")
    anna.wait_for("failed")
    anna.page.goto("/conversations")
    expect(anna.page.locator("[data-notice]")).to_have_count(0)
    page = admin.page
    page.goto("/conversations")
    expect(page.locator("[data-notice]")).to_contain_text("The provider does not accept the key.")
    page.locator("[data-notice] a").click()
    page.locator("#connection-test button").click()
    expect(page.locator("#flash")).to_contain_text("The provider does not accept the key.")
    provider.will(Reply(text="Hello"))
    page.locator("#connection-test button").click()
    expect(page.locator("#flash")).to_contain_text("openai:small answers.")
    page.goto("/conversations")
    expect(page.locator("[data-notice]")).to_have_count(0)


def reach(journey: Journey, status: str, scripts: bool) -> None:
    """Wait for a status; without script by asking for the page again, as a person would."""
    line = journey.page.locator("#statusline")
    for _ in range(0 if scripts else 100):
        if line.get_attribute("data-status") == status:
            break
        journey.page.wait_for_timeout(100)
        journey.page.reload()
    journey.wait_for(status)


def until_said(journey: Journey, words: str) -> None:
    """Ask for the page again until the status line begins with ``words``."""
    for _ in range(100):
        if journey.page.locator("#statusline").inner_text().startswith(words):
            return
        journey.page.wait_for_timeout(100)
        journey.page.reload()
