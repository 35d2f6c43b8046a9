"""Testing a model: what is said, how long it may take, and the notice it leaves or removes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.agent.connections import LONGEST, check_connection
from app.agent.llm.base import CallCancelled, KeyRefused, ModelTurn, ProviderFailed, ProviderUnreachable
from app.agent.llm.scripted import text_turn
from app.agent.notices import Notice, NoticeKind, leave_notice, list_notices
from app.core.db import reading, transaction
from app.core.i18n import render
from tests.agent.scenes import Scene
from tests.support.clock import FakeClock


def notices() -> tuple[Notice, ...]:
    with reading() as connection:
        return list_notices(connection, NoticeKind.MODEL)


def test_a_model_that_answers_loses_its_notice(app: Flask, scene: Scene) -> None:
    with transaction() as connection:
        leave_notice(connection, NoticeKind.MODEL, "openai:m", "key")
        leave_notice(connection, NoticeKind.MODEL, "openai:other", "key")
    scene.script(text_turn("Hello"), name="openai:m")
    checked = check_connection("openai:m", scene.runtime)
    assert (checked.problem, checked.said) == (None, "")
    assert [found.subject for found in notices()] == ["openai:other"]


@pytest.mark.parametrize(
    ("failure", "sentence", "said", "code"),
    [
        (KeyRefused("x", code="key", detail="No."), "The provider does not accept the key.", "No.", "key"),
        (ProviderFailed("x", code="failed", detail="Oh."), "The provider is failing. Try again later.", "Oh.", None),
        (
            ProviderUnreachable("x", code="dns", detail="host"),
            "The name of the address is unknown. Check the address.",
            "",
            None,
        ),
    ],
)
def test_it_says_what_is_wrong(
    app: Flask, scene: Scene, failure: Exception, sentence: str, said: str, code: str | None
) -> None:
    scene.script(failure, name="openai:m")
    checked = check_connection("openai:m", scene.runtime)
    assert checked.problem is not None
    assert (render(checked.problem, "en"), checked.said) == (sentence, said)
    assert [found.code for found in notices()] == ([code] if code else [])


def test_it_says_that_a_name_stands_for_no_model(app: Flask, scene: Scene) -> None:
    checked = check_connection("nonsense", scene.runtime)
    assert checked.problem is not None
    assert render(checked.problem, "en").startswith("There is no such model.")


def test_it_ends_after_its_bound(app: Flask, scene: Scene, clock: FakeClock) -> None:
    class Silent:
        """Never answers, but asks whether it should go on."""

        def respond(self, *_asked: object, cancel: Callable[[], bool], **_more: object) -> ModelTurn:
            for _ in range(100):
                if cancel():
                    raise CallCancelled
                clock.advance(1)
            raise AssertionError("nobody ended it")

    scene.use(Silent(), name="openai:m")  # type: ignore[arg-type]
    checked = check_connection("openai:m", scene.runtime)
    assert checked.problem is not None
    assert render(checked.problem, "en") == "The provider does not answer in time."
    assert LONGEST <= checked.seconds <= LONGEST + 2
