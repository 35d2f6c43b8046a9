"""One person in a browser: the words of the tests, in one place (style.md section 8)."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from app.seed.demo import DemoSite

VENDOR = Path(__file__).resolve().parents[1] / "vendor"
AXE_TAGS = ["EN-301-549", "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Journey:
    """Signed in somewhere; ``page`` is the browser's page."""

    def __init__(self, page: Page, url: str, site: DemoSite) -> None:
        self.page, self.url, self.site = page, url, site

    def sign_in(self, username: str, password: str) -> None:
        """Sign in through the form."""
        self.page.goto("/sign-in")
        self.page.locator("input[name=username]").fill(username)
        self.page.locator("input[name=password]").fill(password)
        self.page.locator("input[name=password]").press("Enter")
        self.page.wait_for_url(re.compile(r"/conversations"))

    def new_conversation(self, configuration: str | None = None) -> None:
        """Open an empty conversation."""
        self.page.goto("/conversations")
        if configuration is not None:
            self.page.locator("#new-conversation select[name=configuration]").select_option(label=configuration)
        self.page.locator("#new-conversation button[type=submit]").click()
        self.page.wait_for_url(re.compile(r"/conversations/\d+"))

    @property
    def conversation_id(self) -> int:
        """Number of the open conversation."""
        found = re.search(r"/conversations/(\d+)", self.page.url)
        assert found is not None
        return int(found[1])

    def send(self, words: str) -> None:
        """Write a message and press Send."""
        self.page.locator("#message").fill(words)
        self.page.locator("#composer button[type=submit]:not([name])").click()

    def reload_until(self, status: str) -> None:
        """Without script: load the page again until the status is reached."""
        for _ in range(40):
            if self.page.locator(f"#statusline[data-status={status}]").count():
                return
            self.page.wait_for_timeout(150)
            self.page.reload()
        expect(self.page.locator("#statusline")).to_have_attribute("data-status", status)

    def wait_for(self, status: str) -> None:
        """With script: wait until the poll brings the status."""
        expect(self.page.locator("#statusline")).to_have_attribute("data-status", status, timeout=20_000)

    @property
    def card(self) -> Locator:
        """The waiting card."""
        return self.page.locator("article.approval-card[data-state=waiting]")

    @property
    def approve(self) -> Locator:
        """The approve button of the waiting card."""
        return self.card.locator("button[name=decision][value=approve]")

    @property
    def decline(self) -> Locator:
        """The decline button of the waiting card."""
        return self.card.locator("button[name=decision][value=decline]")

    @property
    def records(self) -> Locator:
        """The records of the open list of changes."""
        return self.page.locator("#changes-body li[data-record]")

    def open_changes(self) -> None:
        """Open the disclosure and wait for its list."""
        self.page.locator("#changes > summary").click()
        expect(self.page.locator("#changes-body [data-note=coverage]")).to_be_visible()

    def reload_and_load_changes(self) -> None:
        """Without script: follow the link inside the disclosure."""
        self.page.locator("#changes > summary").click()
        self.page.locator("#changes-body a").first.click()
        self.page.wait_for_url(re.compile(r"changes=1"))

    def tab_to(self, selector: str, *, back: bool = False, most: int = 80) -> None:
        """Press Tab (or Shift+Tab) until the focus is on ``selector``."""
        for _ in range(most):
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"no tab stop {selector}; focus is on {self.focused}")

    @property
    def focused(self) -> str:
        """Tag of the focused element."""
        return str(self.page.evaluate("document.activeElement.tagName"))

    @property
    def sideways(self) -> list[str]:
        """What makes the page scroll sideways: elements that reach beyond it, if it does."""
        return list(
            self.page.evaluate(
                """() => document.scrollingElement.scrollWidth <= innerWidth ? [] :
                [...document.querySelectorAll('body *')].filter(node => node.getBoundingClientRect().right > innerWidth)
                .map(node => node.outerHTML.slice(0, 120)).concat('width ' + document.scrollingElement.scrollWidth)"""
            )
        )

    def facts(self) -> list[dict[str, str]]:
        """The facts of every listed record."""
        return list(
            self.records.evaluate_all(
                """rows => rows.map(row => Object.fromEntries([...row.querySelectorAll('[data-fact]')]
                .map(fact => [fact.dataset.fact, fact.dataset.value])))"""
            )
        )

    def notes(self) -> dict[str, int]:
        """The notes of the open list with their numbers."""
        rows = self.page.locator("#changes-body [data-note]").evaluate_all(
            "rows => rows.map(row => [row.dataset.note, Number(row.dataset.count)])"
        )
        return dict(rows)

    def violations(self, *, contrast: bool = False) -> list[str]:
        """What axe finds on the page: rule and first place of each; ``contrast`` asks for 7 to 1 as well."""
        self.page.wait_for_load_state("load")  # axe would judge a page whose styles are still on their way
        if not self.page.evaluate("Boolean(window.axe)"):
            self.page.add_script_tag(path=str(VENDOR / "axe.min.js"))
        options = {"runOnly": AXE_TAGS}
        if contrast:  # the rule is off unless it is named
            options = {"runOnly": [*AXE_TAGS, "wcag2aaa"], "rules": {"color-contrast-enhanced": {"enabled": True}}}
        result = self.page.evaluate("options => axe.run(options)", options)
        return [f"{item['id']}: {item['nodes'][0]['html'][:160]}" for item in result["violations"]]
