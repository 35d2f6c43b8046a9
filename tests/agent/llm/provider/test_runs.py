"""Whole runs with a model of a provider: what it writes passes the same gates as everything else (F29 to F34)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask

from app.agent.draining import RecordingDispatcher
from app.agent.llm.base import ToolMessage
from app.agent.runtime import Runtime
from app.agent.types import RunStatus
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
        (Reply(status=429, raw=b"{}", headers={"Retry-After": "86400"}), "rate_limit", 1),
        (Reply(status=429, raw=b"{}", headers={"Retry-After": "NaN"}), "rate_limit", 3),
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
