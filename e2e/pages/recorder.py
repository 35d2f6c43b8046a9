"""What a screen reader is told: the recorder of live regions and the virtual reader (a11y.md section 9)."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import BrowserContext, Page

from e2e.pages.journey import VENDOR

READER = "/e2e/virtual-screen-reader.js"
"""Where the virtual reader is served: an address of the site itself, so that its policy for scripts stays in force."""

RECORDER = """(() => {
  const LIVE = '[role=status],[role=alert],[role=log]:not([aria-live=off]),[aria-live]:not([aria-live=off])';
  window.__said = [];
  const record = (node, text) => {
    const region = (node.nodeType === 1 ? node : node.parentElement)?.closest(LIVE);
    if (!region || !text.trim()) return;
    const isAssertive = region.getAttribute('role') === 'alert' || region.getAttribute('aria-live') === 'assertive';
    window.__said.push({ text: text.trim(), politeness: isAssertive ? 'assertive' : 'polite', at: Date.now() });
  };
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === 'characterData') record(target, target.data);
      else for (const node of addedNodes) record(node.parentNode ? node : target, node.textContent ?? '');
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
})()"""

POLL = """() => new Promise((done, fail) => {
  let hasBegun = false;
  const listen = (how) => {
    document[`${how}EventListener`]('htmx:before:request', begun);
    document[`${how}EventListener`]('htmx:finally:request', ended);
  };
  const begun = ({ detail }) => { hasBegun ||= detail.ctx.sourceElement.id === 'beacon'; };
  const ended = ({ detail }) => {
    if (!hasBegun || detail.ctx.sourceElement.id !== 'beacon') return;
    listen('remove');
    queueMicrotask(done);
  };
  listen('add');
  setTimeout(() => fail(new Error('the page did not ask for news')), 5000);
  document.dispatchEvent(new CustomEvent('poll-now'));
})"""

READ = """async ([address, selector, most]) => {
  const { virtual } = await import(address);
  await virtual.start({ container: document.querySelector(selector) });
  const first = await virtual.lastSpokenPhrase();
  for (let step = 0; step < most; step += 1) {
    await virtual.next();
    if ([first, `end of ${first}`].includes(await virtual.lastSpokenPhrase())) break;
  }
  const phrases = await virtual.spokenPhraseLog();
  await virtual.stop();
  return phrases;
}"""


class Recorder:
    """What the live regions of one page said. Make it before the page is opened."""

    def __init__(self, page: Page, *, clock: bool = True) -> None:
        self.page, self._has_clock = page, clock
        page.add_init_script(RECORDER)
        if clock:
            page.clock.install()

    def poll(self) -> None:
        """Let the page ask for news once and take the answer in."""
        self.page.evaluate(POLL)

    def said(self, milliseconds: int = 2600) -> list[str]:
        """What was said since the last question, once everything due within that time has been said."""
        if self._has_clock:
            self.page.clock.run_for(milliseconds)
        else:
            self.page.wait_for_timeout(milliseconds)
        return [entry["text"] for entry in self.entries()]

    def entries(self) -> list[dict[str, Any]]:
        """The entries so far, which are forgotten."""
        return list(self.page.evaluate("window.__said.splice(0)"))


def serve_reader(context: BrowserContext) -> None:
    """Make the virtual reader available to the pages of ``context``."""
    source = (VENDOR / "virtual-screen-reader.browser.js").read_text(encoding="utf-8")
    context.route(f"**{READER}", lambda route: route.fulfill(body=source, content_type="text/javascript"))


def read_aloud(page: Page, selector: str, most: int = 120) -> list[str]:
    """The phrases the virtual reader speaks from the beginning to the end of an element."""
    return list(page.evaluate(READ, [READER, selector, most]))
