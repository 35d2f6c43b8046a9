"""The history of a configuration: what is kept of a change, and that it stands or falls with the change."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from app.agent.configuration_changes import (
    COMMAND,
    SettingsChange,
    has_changed_since,
    list_changes,
    newest_change,
)
from app.agent.configuration_checks import check_configuration
from app.agent.configurations import create_configuration, find_configuration, set_configuration
from app.agent.models import ConfigurationChange
from app.agent.runtime import Runtime
from app.core import errors
from app.core.db import reading, transaction
from app.core.i18n import render
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock


def history(number: int) -> tuple[SettingsChange, ...]:
    with reading() as connection:
        return list_changes(connection, number, limit=50)


def change(number: int, **values: Any) -> bool:
    with transaction() as connection:
        return set_configuration(connection, number, **values)


def test_it_begins_with_what_a_new_one_holds(clock: FakeClock, app: Flask) -> None:
    with transaction() as connection:
        number = create_configuration(connection, "Press", actor_id=5, tool_groups=["reading"])
    (entry,) = history(number)
    assert (entry.user_id, entry.at, entry.is_creation) == (5, clock.now(), True)
    assert entry.changes == {
        "name": (None, "Press"),
        "model": (None, "builtin"),
        "tool_groups": (None, ["reading"]),
        "active": (None, True),
    }


def test_it_keeps_only_what_differs_and_nothing_when_nothing_does(app: Flask) -> None:
    before = len(history(1))
    assert change(1, prompt="Short.", excluded_tools=["b", "a"], actor_id=7)
    assert not change(1, prompt="Short.", excluded_tools=["a", "b"], actor_id=7)
    newest, *rest = history(1)
    assert len(rest) == before
    assert (newest.user_id, newest.is_creation) == (7, False)
    assert newest.changes == {"prompt": ("", "Short."), "excluded_tools": ([], ["a", "b"])}


def test_a_command_has_no_person(app: Flask) -> None:
    change(1, requires_draft_workspace=True)
    assert history(1)[0].user_id == COMMAND


def test_it_stands_or_falls_with_the_change(app: Flask) -> None:
    before = history(1)

    def change_twice() -> None:
        with transaction() as connection:
            set_configuration(connection, 1, prompt="Lost")
            set_configuration(connection, 1, name="Editorial, drafts only")

    with pytest.raises(errors.Conflict):
        change_twice()
    assert history(1) == before
    with reading() as connection:
        found = find_configuration(connection, 1)
    assert found is not None
    assert found.prompt == ""


def test_who_saves_what_they_saw_too_late_is_told(app: Flask) -> None:
    with reading() as connection:
        seen = newest_change(connection, 1)
    change(1, seen=seen, prompt="First")
    with pytest.raises(errors.Conflict):
        change(1, seen=seen, prompt="Second")
    assert history(1)[0].changes == {"prompt": ("", "First")}


def test_it_comes_newest_first_and_in_parts(app: Flask) -> None:
    for number in range(3):
        change(1, prompt=str(number))
    with reading() as connection:
        first = list_changes(connection, 1, limit=2)
        rest = list_changes(connection, 1, limit=9, before_id=first[-1].id)
    assert [entry.changes.get("prompt", ("", ""))[1] for entry in first] == ["2", "1"]
    assert rest[0].changes["prompt"] == ("", "0")
    assert rest[-1].is_creation


def test_it_knows_whether_a_setting_was_changed_since(clock: FakeClock, app: Flask) -> None:
    with transaction() as connection:
        number = create_configuration(connection, "Press", branch_page=3)
    clock.advance(10)
    now = int(clock.now())

    def since(at: int) -> bool:
        with reading() as connection:
            return has_changed_since(connection, number, "branch_page", at)

    assert not since(0), "the entry of the creation is no change"
    change(number, prompt="Other")
    assert not since(0)
    change(number, branch_page=4)
    assert since(now)
    assert not since(now + 1)


def test_it_is_stored_as_canonical_text(app: Flask) -> None:
    change(1, requires_second_approver=True, prompt="ä")
    with reading() as connection:
        table = ConfigurationChange.__table__
        words = connection.execute(select(table.c.changes).order_by(table.c.id.desc())).scalars().first()
    assert words == '{"prompt":["","ä"],"requires_second_approver":[false,true]}'


@pytest.mark.parametrize(
    ("values", "sentences"),
    [
        ({"tool_groups": ["editing", "nonsense"]}, {"tool_groups": "There is no group of tools “nonsense”."}),
        ({"excluded_tools": ["nonsense"]}, {"excluded_tools": "There is no tool “nonsense”."}),
        (
            {"allowed_groups": [987_654]},
            {"allowed_groups": "A chosen group does not exist any more. Choose another one."},
        ),
        ({"branch_page": 987_654}, {"branch_page": "There is no page no. 987654."}),
        ({"name": "", "prompt": "x" * 20_001}, {"name": "Enter a name of", "prompt": "Enter at most 20,000"}),
        ({"model": "nonsense"}, {"model": "Enter builtin, openai:NAME or anthropic:NAME"}),
        ({"name": "Editorial, drafts only"}, {"name": "There is already a configuration with this name."}),
    ],
)
def test_every_setting_is_checked_and_all_problems_are_told(
    app: Flask, runtime: Runtime, values: Any, sentences: dict[str, str]
) -> None:
    with reading() as connection, pytest.raises(errors.Invalid) as caught:
        check_configuration(connection, runtime.registry, values, before=find_configuration(connection, 1))
    said = {field: render(sentence, "en") for field, sentence in caught.value.fields.items()}
    assert said.keys() == sentences.keys()
    assert all(said[field].startswith(beginning) for field, beginning in sentences.items())


def test_what_is_stored_already_stays_valid(app: Flask, runtime: Runtime, site: DemoSite) -> None:
    gone: Any = {"excluded_tools": ["gone"], "tool_groups": ["gone"], "allowed_groups": [987], "branch_page": 987}
    change(1, **gone)
    translation = site.pages["hours"]
    with reading() as connection:
        before = find_configuration(connection, 1)
        check_configuration(connection, runtime.registry, gone, before=before)
        check_configuration(connection, runtime.registry, {"name": "Editorial"}, before=before)
        check_configuration(connection, runtime.registry, {"branch_page": translation}, before=before)
        check_configuration(connection, runtime.registry, {"branch_page": 0, "tool_groups": []}, before=before)
        with pytest.raises(errors.Invalid):
            check_configuration(connection, runtime.registry, gone, before=None)
