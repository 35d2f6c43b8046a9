"""Headers of answers: the policy for scripts and the signals of the poll, T44 and T53 of a11y.md section 9."""

from __future__ import annotations

import re

import pytest
from flask import Flask

from app.accounts import store as accounts
from app.agent.llm.scripted import text_turn
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.page import PageClient
from tests.support.visitor import Visitor, signals

WANTED = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "object-src": "'none'",
}


def policy_of(header: str) -> dict[str, str]:
    """Directives of a content security policy with their values."""
    parts = (part.strip().partition(" ") for part in header.split(";") if part.strip())
    return {name: value for name, _, value in parts}


def test_t44_pages_parts_and_errors_carry_the_same_strict_policy(
    app: Flask, site: DemoSite, assignments: Assignments
) -> None:
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    anna, own = Visitor(app, site, "anna"), f"/conversations/{assignments.id}"
    answers = [anna.get(own), anna.get("/nowhere"), anna.get("/static/js/app.js"), Visitor(app, site).get("/sign-in")]
    answers += [
        anna.ask(f"{own}/updates?after=0&rev=0"),
        anna.ask(f"{own}/changes"),
        anna.ask(f"/runs/{assignments.run_uuid}/card"),
    ]
    for answer in answers:
        header = answer.headers["Content-Security-Policy"]
        assert not re.search(r"unsafe|nonce-|\*|https?:|data:|blob:", header), header
        found = policy_of(header)
        assert {name: found.get(name) for name in WANTED} == WANTED
        answer.close()


def test_t44_the_policy_leaves_nothing_to_write_into_the_page(anna: PageClient) -> None:
    html = anna.get("/conversations").html
    assert not re.search(r"(?i)<[^>]+\s(?:on\w+|style)=", html)
    assert not re.search(r"(?is)<script\b(?![^>]*\bsrc=)", html)


@pytest.mark.parametrize(
    ("language", "wanted"), [("en", "AI assistant: Grüße, 你好 👋"), ("de", "KI-Assistenz: Grüße, 你好 👋")]
)
def test_t53_signals_are_ascii_and_arrive_intact(
    app: Flask, site: DemoSite, assignments: Assignments, language: str, wanted: str
) -> None:
    with transaction() as connection:
        connection.execute(accounts.USER.update().values(language=language))
    assignments.ask(text_turn("Grüße, 你好 👋"))
    answer = Visitor(app, site, "anna").ask(f"/conversations/{assignments.id}/updates?after=1&rev=0")
    assert answer.headers["HX-Trigger"].isascii()
    assert signals(answer)["chat-say"]["text"] == wanted
