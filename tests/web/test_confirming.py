"""A change of access wants a recent proof of who asks; what was typed goes along."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from flask import Flask, request

from app.accounts.passwords import hash_password
from app.accounts.service import set_password
from app.core.db import transaction
from app.seed.demo import DemoSite
from app.web.guards import administrator, requires
from tests.support.clock import FakeClock
from tests.support.visitor import Visitor, one, tree

PASSWORD = "a long enough pass phrase"
TYPED = {"name": "Ünïcode <b>", "note": "two\nlines"}


@pytest.fixture
def saved(clock: FakeClock, app: Flask, site: DemoSite) -> list[Mapping[str, str]]:
    """What a view for administrators that wants a confirmation was given."""
    found: list[Mapping[str, str]] = []

    @requires(administrator, confirmed=True)
    def save() -> str:
        found.append({name: request.form[name] for name in TYPED if name in request.form})
        return "saved"

    app.add_url_rule("/access-under-test", "access_under_test", save, methods=["GET", "POST"])
    with transaction() as connection:
        set_password(connection, site.people.users["admin"], hash_password(PASSWORD))
    return found


@pytest.fixture
def admin(clock: FakeClock, app: Flask, site: DemoSite, saved: list[Mapping[str, str]]) -> Visitor:
    assert saved == []
    return Visitor(app, site, "admin")


def test_it_takes_a_form_of_somebody_who_signed_in_a_moment_ago(
    admin: Visitor, saved: list[Mapping[str, str]], clock: FakeClock
) -> None:
    clock.advance(599)
    assert admin.post("/access-under-test", **TYPED).get_data(as_text=True) == "saved"
    assert saved == [TYPED]


def test_it_asks_once_more_later_and_keeps_what_was_typed(
    admin: Visitor, saved: list[Mapping[str, str]], clock: FakeClock
) -> None:
    assert admin.csrf
    clock.advance(601)
    asked = admin.post("/access-under-test", **TYPED)
    assert asked.status_code == 403
    assert saved == []
    form = one(tree(asked), "#confirmation")
    kept = {str(field["name"]): str(field["value"]) for field in form.select("input[type=hidden]")}
    assert {name: kept[name] for name in TYPED} == TYPED
    wrong = admin.post("/access-under-test", **TYPED, confirm_password="not this one")
    assert (wrong.status_code, saved) == (422, [])
    assert "The password is wrong." in wrong.get_data(as_text=True)
    assert admin.post("/access-under-test", **TYPED, confirm_password="").status_code == 422
    assert admin.post("/access-under-test", **TYPED, confirm_password=PASSWORD).get_data(as_text=True) == "saved"
    assert saved == [TYPED]
    assert admin.post("/access-under-test", **TYPED).get_data(as_text=True) == "saved", "for ten minutes it counts"


def test_it_slows_down_guessing(admin: Visitor, saved: list[Mapping[str, str]], clock: FakeClock) -> None:
    assert admin.csrf
    clock.advance(601)
    answers = [admin.post("/access-under-test", confirm_password=f"guess {n}").status_code for n in range(6)]
    assert answers == [422] * 5 + [429]
    assert saved == []


def test_it_asks_nothing_of_readers_and_gives_nothing_to_others(
    app: Flask, site: DemoSite, admin: Visitor, clock: FakeClock
) -> None:
    anna = Visitor(app, site, "anna")
    assert anna.csrf
    clock.advance(601)
    assert admin.get("/access-under-test").get_data(as_text=True) == "saved"
    assert anna.post("/access-under-test", confirm_password=PASSWORD).status_code == 403
