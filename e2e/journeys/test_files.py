"""Storing a picture and giving it an alternative text, with keys alone; and the same without script."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Page, expect

from app.seed.demo_pictures import picture
from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser
PICTURE: FilePayload = {"name": "Häuser am Fluss.png", "mimeType": "image/png", "buffer": picture("/press/house.png")}
FOLDER = "/files?storage=1&folder=/editorial/"


def press(page: Page, key: str, until: str) -> None:
    """Press a key until the element of a selector has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", until):
            return
        page.keyboard.press(key)
    pytest.fail(f"{until} cannot be reached with {key}")


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "script off"])
def test_it_stores_a_picture_and_describes_it_by_keys(open_journey: Callable[..., Journey], scripts: bool) -> None:
    dora = open_journey("dora", scripts=scripts, width=320)
    page = dora.page
    page.goto("/files")
    press(page, "Tab", "main .item-list a")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"folder=/editorial/"))
    page.locator("#files").set_input_files(PICTURE)
    page.locator("#files").focus()
    press(page, "Tab", "#upload button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/files/\d+#descriptions$"))
    expect(page.locator("h1")).to_have_text("Häuser am Fluss.png")
    expect(page.locator("main .facts .badge--warn")).to_have_text("Alternative text missing")
    assert page.locator(".file-preview img").evaluate("image => image.complete && image.naturalWidth") == 480
    press(page, "Tab", "#alternative-en")
    page.keyboard.type("A house with three windows on a river")
    press(page, "Tab", "#describe-en button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"#described-en$"))
    expect(page.locator("#flash")).to_contain_text("The description is saved.")
    expect(page.locator("main .facts .badge--warn")).to_have_count(0)
    expect(page.locator(".file-preview img")).to_have_attribute("alt", "A house with three windows on a river")


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "script off"])
def test_it_says_why_a_file_is_not_stored(open_journey: Callable[..., Journey], scripts: bool) -> None:
    dora = open_journey("dora", scripts=scripts)
    page = dora.page
    page.goto(FOLDER)
    page.locator("#files").set_input_files({"name": "page.png", "mimeType": "image/png", "buffer": b"<!doctype html>"})
    page.locator("#upload button").click()
    expect(page).to_have_title(re.compile("^Error:"))
    expect(page.locator(".error-summary a")).to_contain_text("“page.png” was not stored.")
    page.locator(".error-summary a").click()
    expect(page.locator("#files")).to_have_attribute("aria-invalid", "true")
    assert page.evaluate("document.activeElement.id") == "files"


def test_it_saves_the_original_under_its_own_name(open_journey: Callable[..., Journey]) -> None:
    dora = open_journey("dora")
    dora.page.goto(FOLDER)
    dora.page.locator("#files").set_input_files(PICTURE)
    dora.page.locator("#upload button").click()
    dora.page.wait_for_url(re.compile(r"/files/\d+"))
    with dora.page.expect_download() as saved:
        dora.page.get_by_role("link", name="Save the original file").click()
    assert saved.value.suggested_filename == "Häuser am Fluss.png"
    assert saved.value.path().read_bytes() == PICTURE["buffer"]
