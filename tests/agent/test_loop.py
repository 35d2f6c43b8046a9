"""One round after the other: asking, judging calls, suspending, refusing, ending."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.llm.base import (
    AssistantMessage,
    ConfigurationMissing,
    KeyRefused,
    ModelTurn,
    ProviderUnreachable,
    RateLimited,
    ToolCallRequest,
    ToolMessage,
    Usage,
)
from app.agent.llm.scripted import ScriptedModel, call_turn, text_turn
from app.agent.loop.arguments import Accepted, NotAccepted, read_arguments
from app.agent.types import RunStatus
from app.core.db import transaction
from app.policy.decisions import ALLOWED, Refused
from app.policy.invocation import InvocationPolicy
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["page"],
    "properties": {
        "page": {"type": "integer"},
        "title": {"type": "string", "maxLength": 5},
        "deep": {"type": "boolean"},
    },
}


def _raw(name: str, arguments: str, *, finish: str = "tool_calls") -> ModelTurn:
    call = ToolCallRequest(id="c", name=name, arguments=arguments)
    return ModelTurn(
        content="", calls=(call,), usage=Usage(requests=1, prompt_tokens=1, completion_tokens=1), finish=finish
    )


def _results(scene: Scene, uuid: str) -> list[ToolMessage]:
    return [message for message in scene.transcript(uuid) if isinstance(message, ToolMessage)]


class Flipping:
    """A rule that refuses before the card and has changed its mind when the call runs, or the other way round."""

    id = "flipping"
    answers_before_approval = True

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    def decide(self, context):  # type: ignore[no-untyped-def]
        if not context.tool.is_write:
            return ALLOWED
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ('{"page": true}', "invalid_argument:page"),
        ('{"page": 5.0}', "invalid_argument:page"),
        ('{"page": "5"}', "invalid_argument:page"),
        ("{}", "missing_argument:page"),
        ('{"page": 1, "colo\\u202eur!": 2}', "unknown_argument:colour"),
        ('{"page": 1, "title": "too long"}', "invalid_argument:title"),
        ('{"page": 1, "page": 2}', "duplicate_key"),
        ('{"page": NaN}', "not_a_number"),
        ('{"page": 1, "title": "\\ud800"}', "forbidden_character"),
        ("[1]", "not_an_object"),
        ("{", "not_json"),
        ('{"page": 99999999999999999999}', "number_too_large"),
        ('{"page": 1, "deep": 1}', "invalid_argument:deep"),
    ],
)
def test_it_refuses_arguments_whole(words: str, reason: str) -> None:
    assert read_arguments(words, SCHEMA) == NotAccepted(reason=reason)


def test_it_accepts_arguments_with_their_canonical_text() -> None:
    found = read_arguments('{ "title": "A", "page": 3 }', SCHEMA)
    assert found == Accepted(arguments={"page": 3, "title": "A"}, text='{"page":3,"title":"A"}')
    assert read_arguments("", None) == Accepted(arguments={}, text="{}")


def test_it_answers_without_tools(scene: Scene, identity_of) -> None:
    scene.script(text_turn("Hello."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.rounds, run.prompt_tokens) == (RunStatus.COMPLETED, "completed", 1, 10)
    assert scene.transcript(uuid)[-1] == AssistantMessage(content="Hello.")
    assert scene.kinds(uuid) == ["started", "request", "llm", "ended"]


def test_it_runs_reads_in_order_and_tells_the_model(scene: Scene, site: DemoSite, identity_of) -> None:
    scene.script(call_turn(("list_languages", {}), ("get_page_tree", {})), text_turn("That is all."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    assert [(result.call_id, result.tool, result.is_error) for result in _results(scene, uuid)] == [
        ("call-1", "list_languages", False),
        ("call-2", "get_page_tree", False),
    ]
    assert scene.model.seen[1].messages == scene.transcript(uuid)[:-1]
    assert scene.governance(uuid) == []


@pytest.mark.behaviour("RT-02")
def test_it_suspends_the_whole_turn_before_any_call_runs(scene: Scene, site: DemoSite, identity_of) -> None:
    page = site.pages["hours"]
    before = scene.row("pages", page)
    scene.script(call_turn(("list_languages", {}), ("update_page_metadata", {"page": page, "title": "Hours"})))
    uuid = scene.start(identity_of("dora"))
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.turn, run.revision, run.attempts) == (RunStatus.WAITING_FOR_APPROVAL, 1, 1, 0)
    assert scene.outcomes(uuid) == {}
    assert scene.row("pages", page) == before
    assert scene.kinds(uuid) == ["started", "request", "llm", "card"]


@pytest.mark.behaviour("RT-03")
def test_it_refuses_a_tool_that_is_not_offered_without_a_card(scene: Scene, site: DemoSite, identity_of) -> None:
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, excluded_tools=["delete_record"])
    scene.script(
        call_turn(("delete_record", {"table": "pages", "uid": site.pages["hours"]}), ("no_such_tool", {"x": 1})),
        text_turn("I cannot."),
    )
    uuid = scene.start(identity_of("dora"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    assert scene.outcomes(uuid) == {0: ("refused", "offer/excluded"), 1: ("refused", "offer/not_registered")}
    assert scene.governance(uuid) == [("tool_denied", "offer", "excluded"), ("tool_denied", "offer", "not_registered")]
    assert "delete_record" not in [tool.name for tool in scene.model.seen[0].tools]


def test_it_refuses_an_unknown_argument_and_names_it(scene: Scene, site: DemoSite, identity_of) -> None:
    scene.script(
        call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours", "slug": "/x"})),
        text_turn("I see."),
    )
    uuid = scene.start(identity_of("dora"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    assert scene.outcomes(uuid)[0] == ("refused", "arguments/unknown_argument:slug")


@pytest.mark.behaviour("DW-09")
def test_it_settles_a_call_refused_on_purpose_without_a_card(scene: Scene, site: DemoSite, identity_of) -> None:
    scene.script(
        call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})), text_turn("Refused.")
    )
    uuid = scene.start(identity_of("dora"), configuration="Editorial, drafts only")
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    assert scene.governance(uuid) == [("invocation_denied", "draft_workspace_required", "live_workspace")]
    assert "card" not in scene.kinds(uuid)
    assert "draft_workspace_required/live_workspace" in _results(scene, uuid)[0].content


@pytest.mark.behaviour("DW-10", "DW-18")
def test_it_refuses_a_skipped_approval_when_the_rule_changed_its_mind(
    scene: Scene, site: DemoSite, identity_of
) -> None:
    page = site.pages["hours"]
    before = scene.row("pages", page)
    rule = Flipping(Refused(rule="flipping", reason="no"), ALLOWED)
    scene.runtime = replace(scene.runtime, policy=InvocationPolicy([rule]))
    scene.script(call_turn(("update_page_metadata", {"page": page, "title": "Hours"})), text_turn("Refused."))
    uuid = scene.start(identity_of("dora"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    assert [row[0] for row in scene.governance(uuid)] == ["write_unapproved"]
    assert scene.row("pages", page) == before


@pytest.mark.behaviour("DW-11")
def test_it_lets_a_call_wait_when_the_policy_fails_before_the_card(scene: Scene, site: DemoSite, identity_of) -> None:
    scene.runtime = replace(scene.runtime, policy=InvocationPolicy([Flipping(RuntimeError("secret"), ALLOWED)]))
    scene.script(
        call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})), text_turn("Done.")
    )
    uuid = scene.start(identity_of("dora"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.WAITING_FOR_APPROVAL
    scene.decide(identity_of("dora"), uuid)
    scene.work()
    assert scene.outcomes(uuid) == {0: ("done", "")}


@pytest.mark.behaviour("CA-06")
def test_it_shows_a_card_when_the_tool_itself_refuses_every_call(scene: Scene, site: DemoSite, identity_of) -> None:
    scene.script(call_turn(("update_page_metadata", {"page": 999_999, "title": "Hours"})), text_turn("I see."))
    uuid = scene.start(identity_of("dora"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.WAITING_FOR_APPROVAL
    assert scene.decide(identity_of("dora"), uuid).kind == "nothing_to_approve"
    assert scene.run(uuid).status is RunStatus.WAITING_FOR_APPROVAL


@pytest.mark.behaviour("RT-17")
def test_it_refuses_a_turn_with_too_many_calls_whole(scene: Scene, identity_of) -> None:
    scene.script(call_turn(*[("list_languages", {})] * 21), text_turn("Fewer, then."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    results = _results(scene, uuid)
    assert len(results) == 21
    assert all(result.is_error and result.content.startswith("too_many_calls") for result in results)
    assert scene.outcomes(uuid) == {}


def test_it_does_not_execute_the_calls_of_an_answer_that_was_cut_off(scene: Scene, identity_of) -> None:
    scene.script(_raw("list_languages", "{}", finish="length"), text_turn("Shorter."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert _results(scene, uuid)[0].content.startswith("cut_off")
    assert scene.outcomes(uuid) == {}


@pytest.mark.behaviour("RT-17")
def test_it_stops_asking_at_the_limit_and_says_so(scene: Scene, identity_of) -> None:
    scene.runtime = replace(scene.runtime, settings=replace(scene.runtime.settings, max_rounds=3))
    scene.script(*[call_turn(("list_languages", {}))] * 3)
    uuid = scene.start(identity_of("dora"))
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.rounds) == (RunStatus.COMPLETED, "max_rounds", 3)


def test_it_tries_three_times_where_another_try_may_help(scene: Scene, identity_of) -> None:
    scene.script(ProviderUnreachable("x"), RateLimited("x", retry_after=99), text_turn("At last."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    scene.script(*[ProviderUnreachable("secret")] * 3)
    uuid = scene.start(identity_of("anna"))
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.error) == (RunStatus.FAILED, "provider_failed", "connection")
    assert len(scene.model.seen) == 3


def test_it_fails_at_once_where_another_try_cannot_help(scene: Scene, identity_of) -> None:
    scene.script(KeyRefused("secret"))
    first = scene.start(identity_of("anna"))
    scene.work()
    scene.script(ConfigurationMissing("secret"))
    second = scene.start(identity_of("anna"))
    scene.work()
    found = [(scene.run(uuid).reason, scene.run(uuid).error) for uuid in (first, second)]
    assert found == [("provider_failed", "auth"), ("configuration", "model")]


@pytest.mark.behaviour("RT-15")
def test_it_keeps_only_the_class_of_an_unexpected_failure(scene: Scene, identity_of) -> None:
    scene.script(ValueError("password=hunter2"))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason, run.error) == (RunStatus.FAILED, "internal", "ValueError")


@pytest.mark.parametrize(
    "turn",
    [
        _raw("\ud800bad\x00name" * 40, '{"\\ud800": 1}'),
        _raw("list_languages", "\ud800"),
        _raw("list_languages", "[" * 5000),
        _raw("update_page_metadata", '{"page": 1' + " " * 300_000 + "}"),
    ],
)
def test_it_survives_what_a_hostile_model_writes(scene: Scene, identity_of, turn: ModelTurn) -> None:
    scene.script(turn, text_turn("Well \ud800 tried\x00."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert scene.run(uuid).status is RunStatus.COMPLETED
    assert scene.outcomes(uuid)[0][0] == "refused"
    assert "\x00" not in scene.transcript(uuid)[-1].content


def test_it_ends_a_run_whose_owner_is_gone(scene: Scene, site: DemoSite, identity_of) -> None:
    from app.accounts.service import update_user

    scene.script(text_turn("Hello."))
    uuid = scene.start(identity_of("dora"))
    with transaction() as connection:
        update_user(connection, site.people.users["dora"], {"disabled": True})
    scene.work()
    assert (scene.run(uuid).status, scene.run(uuid).reason) == (RunStatus.FAILED, "no_acting_user")


def test_it_takes_the_same_call_id_twice_as_two_calls(scene: Scene, identity_of) -> None:
    call = ToolCallRequest(id="same", name="list_languages", arguments="{}")
    turn = ModelTurn(
        content="",
        calls=(call, call),
        usage=Usage(requests=1, prompt_tokens=1, completion_tokens=1),
        finish="tool_calls",
    )
    scene.use(ScriptedModel([turn, text_turn("Fine.")]))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    assert set(scene.outcomes(uuid)) == {0, 1}
