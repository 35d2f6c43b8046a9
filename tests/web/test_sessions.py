"""A person's own sign-ins."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.page import PageClient

Browsers = Callable[[str], PageClient]


def test_it_lists_and_ends_own_sign_ins(browser_of: Browsers) -> None:
    here, there = browser_of("anna"), browser_of("anna")
    page = here.get("/sessions")
    assert len(page.all(".item-list__item")) == 2
    assert "this browser" in page.text
    ended = here.follow(here.submit(page, ".item-list__item form"))
    assert "The sign-in has ended." in ended.text
    assert there.get("/sessions").status == 303
    assert here.get("/sessions").status == 200


def test_it_ends_all_others(browser_of: Browsers) -> None:
    here, *others = (browser_of("anna") for _ in range(3))
    done = here.follow(here.post("/sessions", {"others": "1"}))
    assert "2 other sign-ins ended." in done.text
    assert [other.get("/sessions").status for other in others] == [303, 303]


def test_it_ends_nobody_elses_sign_in(browser_of: Browsers) -> None:
    """I21"""
    anna, ben = browser_of("anna"), browser_of("ben")
    browser_of("ben")
    reference = ben.get("/sessions").values(".item-list__item form")["session"]
    assert anna.post("/sessions", {"session": reference}).status == 404
    assert anna.post("/sessions", {"session": "0" * 16}).status == 404
    assert anna.post("/sessions", {"session": "%"}).status == 422
    assert anna.post("/sessions", {}).status == 422


def test_it_is_for_people_who_are_signed_in(anonymous: PageClient, anna: PageClient) -> None:
    assert anonymous.get("/sessions").location == "/sign-in?next=/sessions"
    assert anonymous.post("/sessions", {"others": "1"}).status == 401
    assert anna.post_raw("/sessions", data={"others": "1"}).status == 403
