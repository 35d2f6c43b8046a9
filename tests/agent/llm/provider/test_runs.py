"""Whole runs with a model of a provider: what it writes passes the same gates as everything else (F29 to F34)."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from typing import Any

import pytest
from flask import Flask

from app.agent.configurations import set_configuration
from app.agent.draining import RecordingDispatcher
from app.agent.llm.base import ToolMessage
from app.agent.notices import NoticeKind, list_notices
from app.agent.reaping import resume_waiting
from app.agent.runtime import Runtime
from app.agent.types import RunStatus
from app.core.clock import now as clock_now
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.agent.llm.provider.conftest import KEY, Asking, Reach
from tests.agent.scenes import Scene
from tests.support.clock import FakeClock
from tests.support.provider_server import ProviderServer, Reply

LANGUAGES = ("same", "list_languages", "{}")


@pytest.fixture
def scene(app: Flask, runtime: Runtime, models: Any, dispatcher: RecordingDispatcher, clock: FakeClock) -> Scene:
    """Runs on the demo site."""
    return Scene(runtime, models, dispatcher)


def worked(scene: Scene, asking: Asking, owner: Any) -> str:
    """A run that was executed with this model."""
    scene.use(asking.patient().model)
    uuid = scene.start(owner)
    scene.work()
    return uuid


def results(scene: Scene, uuid: str) -> list[str]:
    """First words of what the model was told about its calls."""
    return [m.content.split("\n")[0] for m in scene.transcript(uuid) if isinstance(m, ToolMessage) and m.is_error]


def test_it_reads_and_answers(asking: Asking, provider: ProviderServer, scene: Scene, identity_of: Any) -> None:
    provider.will(Reply(text="Looking.", calls=(LANGUAGES, LANGUAGES)), Reply(text="There are two."))
    uuid = worked(scene, asking, identity_of("anna"))
    run = scene.run(uuid)
    assert (run.status, run.rounds, run.prompt_tokens) == (RunStatus.COMPLETED, 2, 22)
    assert len(provider.asked) == 2
    assert str(provider.asked[1].body).count("call00001") == 2, "one call and its result"
    assert KEY not in str(scene.transcript(uuid))


def test_it_waits_for_a_yes(
    asking: Asking, provider: ProviderServer, scene: Scene, identity_of: Any, site: DemoSite
) -> None:
    page = site.pages["hours"]
    before = scene.row("pages", page)["title"]
    arguments = json.dumps({"page": page, "title": "New"})
    provider.will(Reply(calls=(("a", "update_page_metadata", arguments),)), Reply(text="Done."))
    uuid = worked(scene, asking, identity_of("dora"))
    assert (scene.run(uuid).status, scene.outcomes(uuid)) == (RunStatus.WAITING_FOR_APPROVAL, {})
    assert scene.row("pages", page)["title"] == before
    scene.decide(identity_of("dora"), uuid)
    scene.work()
    assert (scene.run(uuid).status, scene.outcomes(uuid)[0][0]) == (RunStatus.COMPLETED, "done")


def test_it_survives_odd_calls_and_goes_on(
    streaming: Asking, provider: ProviderServer, scene: Scene, identity_of: Any
) -> None:
    for calls, told in (
        ((("a", "list_languages", '{"page": 1'),), "refused"),
        ((("a", "list_languages", "[" * 5_000),), "refused"),
        ((("a", "list_languages", '{"x":"' + "y" * 400_000 + '"}'),), "refused"),
        ((("a", "List_Languages", "{}"),), "refused"),
        ((("a", "list_languages ", "{}"),), "refused"),
        ((("a", "l\u0456st_languages", "{}"),), "refused"),
        ((LANGUAGES,) * 500, "too_many_calls"),
    ):
        provider.will(Reply(calls=calls), Reply(text="Well."))
        uuid = worked(scene, streaming, identity_of("anna"))
        assert scene.run(uuid).status is RunStatus.COMPLETED, told
        assert {said.partition(":")[0] for said in results(scene, uuid)} == {told}, calls[0][1]


def test_it_carries_nothing_out_of_an_answer_that_was_cut(
    streaming: Asking, provider: ProviderServer, scene: Scene, identity_of: Any
) -> None:
    provider.will(Reply(calls=(LANGUAGES,), finish="length"), Reply(text="Shorter."))
    uuid = worked(scene, streaming, identity_of("anna"))
    assert results(scene, uuid) == ["cut_off"]
    provider.will(Reply(calls=(LANGUAGES,), finish=None), Reply(text="Whole."))
    uuid = worked(scene, streaming, identity_of("anna"))
    assert (scene.run(uuid).status, len(provider.asked)) == (RunStatus.COMPLETED, 2), "asked again"
    assert scene.outcomes(uuid) == {}


@pytest.mark.parametrize(
    ("reply", "error", "requests"),
    [
        (Reply(status=401, raw=b"{}"), "auth", 1),
        (Reply(status=404, raw=b"{}"), "client", 1),
        (Reply(status=500, raw=b"{}"), "server", 3),
        (Reply(status=429, raw=b"{}", headers={"Retry-After": "7"}), "rate_limit", 3),
        (Reply(status=429, raw=b"{}", headers={"Retry-After": "-5"}), "rate_limit", 3),
        (Reply(status=429, raw=b"{}", headers={"Retry-After": "NaN"}), "rate_limit", 3),
        (Reply(status=429, raw=b"{}", headers={"Retry-After": "Tue, 01 Jan 2019 00:00:00 GMT"}), "rate_limit", 3),
        (Reply(raw=b"<html>", headers={"Content-Type": "text/html"}), "protocol", 1),
    ],
)
def test_it_ends_with_a_reason_when_the_provider_fails(
    reach: Reach, provider: ProviderServer, scene: Scene, identity_of: Any, reply: Reply, error: str, requests: int
) -> None:
    provider.will(reply)
    uuid = worked(scene, reach("openai", is_streamed=False), identity_of("anna"))
    run = scene.run(uuid)
    assert (run.status, run.reason, run.error) == (RunStatus.FAILED, "provider_failed", error)
    assert len(provider.asked) == requests


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("121", 121), ("86400", 86_400), ("99999999", 86_400), ("in an hour", 3_600)],
)
def test_it_lies_down_when_the_provider_asks_to_wait_for_long(
    reach: Reach,
    provider: ProviderServer,
    scene: Scene,
    identity_of: Any,
    clock: FakeClock,
    header: str,
    seconds: int,
) -> None:
    if header == "in an hour":  # a date; the library subtracts the machine's own time from it
        header = formatdate(time.time() + seconds, usegmt=True)
    provider.will(Reply(status=429, raw=b"{}", headers={"Retry-After": header}), Reply(text="At last."))
    uuid = worked(scene, reach("openai", is_streamed=False), identity_of("anna"))
    run = scene.run(uuid)
    assert (run.status, len(provider.asked)) == (RunStatus.WAITING_FOR_PROVIDER, 1)
    assert abs(run.resume_at - clock_now() - seconds) <= 2
    clock.advance(seconds + 2)
    assert resume_waiting(scene.runtime) == (uuid,)
    scene.work()
    assert (scene.run(uuid).status, len(provider.asked)) == (RunStatus.COMPLETED, 2)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_or_model_leaves_a_notice_without_a_word_of_the_provider(
    reach: Reach, provider: ProviderServer, scene: Scene, identity_of: Any, status: int
) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, model="openai:m")
    body = json.dumps({"error": {"message": f"Incorrect key {KEY} of ACME."}}).encode()
    provider.will(Reply(status=status, raw=body))
    scene.use(reach("openai", is_streamed=False).patient().model, name="openai:m")
    scene.execute(scene.start(identity_of("anna")))
    with reading() as connection:
        (notice,) = list_notices(connection, NoticeKind.MODEL)
    assert (notice.subject, notice.code) == ("openai:m", "not_found" if status == 404 else "key")
    assert KEY not in repr(notice)
    assert "ACME" not in repr(notice)
    assert len(provider.asked) == 1
