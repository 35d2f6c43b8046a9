"""An assignment that failed because of the provider is tried again: a new run, linked to the old one, that repeats no write."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from app.agent.llm.base import ProviderFailed, RateLimited, SystemMessage, ToolMessage, UserMessage
from app.agent.llm.scripted import ScriptedModel, ScriptStep, call_turn, text_turn
from app.agent.models import Run
from app.agent.reaping import resume_waiting
from app.agent.run_rows import RunView, find_run
from app.chat import pages, service
from app.content.models import Page
from app.core.db import reading
from app.core.errors import Conflict, NotFound
from app.core.i18n import render
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.clock import FakeClock

DOWN: tuple[ScriptStep, ...] = (ProviderFailed("x", code="failed"),) * 3
PAGE = Page.__table__


class Retrying:
    """Anna's conversation with a model that may fail."""

    def __init__(self, assignments: Assignments, models: Any) -> None:
        self.assignments, self._models = assignments, models
        self.anna = assignments.identity_of("anna")
        self.model = ScriptedModel([])

    def script(self, *steps: ScriptStep) -> None:
        """What the model does from now on."""
        self.model = self._models.by_name["builtin"] = ScriptedModel(steps)

    def send(self, words: str = "Please help.") -> None:
        """Send a message and let workers go on."""
        service.send_message(self.anna, self.assignments.id, words, f"sent-{words}", self.assignments.runtime)
        self.assignments.work()

    def retry(self, press: str = "press", by: str = "anna") -> None:
        """Press the button and let workers go on."""
        identity = self.assignments.identity_of(by)
        service.retry_assignment(identity, self.assignments.id, press, self.assignments.runtime)
        self.assignments.work()

    @property
    def runs(self) -> list[RunView]:
        """Every run of the conversation, oldest first."""
        with reading() as connection:
            uuids = connection.execute(
                select(Run.uuid).where(Run.subject == f"conversation:{self.assignments.id}").order_by(Run.created_at)
            ).scalars()
            found = [find_run(connection, uuid) for uuid in uuids.all()]
        known = {run.uuid: run for run in found if run is not None}
        first = [run for run in known.values() if run.retry_of is None]
        following = {run.retry_of: run for run in known.values() if run.retry_of is not None}
        ordered = []
        for run in first:
            ordered.append(run)
            while ordered[-1].uuid in following:
                ordered.append(following[ordered[-1].uuid])
        return ordered


@pytest.fixture
def retrying(assignments: Assignments, models: Any) -> Retrying:
    return Retrying(assignments, models)


def test_it_answers_the_same_message_in_a_new_run(retrying: Retrying) -> None:
    retrying.script(*DOWN)
    retrying.send("Which languages are there?")
    view = retrying.assignments.page().view
    assert (view.status, view.may_retry) == ("failed", True)
    assert render(view.status_detail or view.status_label, "en") == "The AI model did not answer. Try again in a while."
    retrying.script(text_turn("Three."))
    retrying.retry()
    page = retrying.assignments.page()
    assert (page.view.status, page.view.may_retry) == ("idle", False)
    assert [message.body for message in page.messages] == ["Which languages are there?", "Three."]
    old, new = retrying.runs
    assert (new.retry_of, old.retry_of, page.view.run_uuid) == (old.uuid, None, new.uuid)
    asked = retrying.model.seen[0].messages
    assert asked[-1] == UserMessage(content="Which languages are there?")


def copies(site: DemoSite) -> int:
    with reading() as connection:
        found = connection.execute(
            select(PAGE.c.uid).where(PAGE.c.pid == site.pages["about"], PAGE.c.deleted.is_(False))
        )
        return len(found.all())


def copy(site: DemoSite) -> Any:
    return call_turn(("copy_page", {"page": site.pages["hours"], "target": site.pages["about"]}), content="A copy.")


@pytest.mark.behaviour("RT-12")
def test_a_write_of_the_failed_run_is_never_repeated(retrying: Retrying, site: DemoSite) -> None:
    before = copies(site)
    retrying.script(copy(site), *DOWN)
    retrying.send()
    retrying.assignments.decide()
    assert (retrying.assignments.page().view.status, copies(site)) == ("failed", before + 1)
    for press in ("one", "two"):  # also not after a further failure
        retrying.script(copy(site), *DOWN)
        retrying.retry(press)
        assert retrying.assignments.page().view.status == "failed", "no card is shown for it"
    retrying.script(copy(site), text_turn("It was done before."))
    retrying.retry("three")
    page = retrying.assignments.page()
    assert (page.view.status, copies(site)) == ("idle", before + 1)
    told = [message for message in retrying.model.seen[1].messages if isinstance(message, ToolMessage)]
    assert [message.content.splitlines()[0] for message in told] == ["already_carried_out"]
    assert "step 1 of this turn" in told[0].content
    assert len(retrying.runs) == 4
    assert page.view.has_changes


def test_the_new_run_is_told_what_the_failed_one_wrote(retrying: Retrying, site: DemoSite) -> None:
    retrying.script(copy(site), *DOWN)
    retrying.send()
    retrying.assignments.decide()
    other = ("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})
    retrying.script(call_turn(other), DONE)
    retrying.retry()
    prompt = retrying.model.seen[0].messages[0]
    assert isinstance(prompt, SystemMessage)
    assert "run 1: provider_failed; reported writes: copy pages" in prompt.content, prompt.content[-900:]
    assert "do not write them again" in prompt.content
    assert retrying.model.seen[0].messages[-1] == UserMessage(content="Please help."), (
        "nothing of the failed run follows"
    )
    assert retrying.assignments.page().view.status == "awaiting_approval", "another write is proposed as ever"
    retrying.assignments.decide()
    assert retrying.assignments.page().view.status == "idle"


def test_the_same_press_twice_is_one_run(retrying: Retrying) -> None:
    retrying.script(*DOWN)
    retrying.send()
    retrying.script(*DOWN)
    retrying.retry("press")
    retrying.retry("press")
    assert len(retrying.runs) == 2
    retrying.script(text_turn("Now."))
    retrying.retry("another press")
    assert len(retrying.runs) == 3


@pytest.mark.parametrize("turn", [DONE, ProviderFailed("x")])
def test_only_a_failed_assignment_is_tried_again(retrying: Retrying, turn: ScriptStep) -> None:
    with pytest.raises(Conflict):
        retrying.retry("before anything")
    retrying.script(*([turn] * 3))
    identity, runtime = retrying.anna, retrying.assignments.runtime
    service.send_message(identity, retrying.assignments.id, "Hello", "t", runtime)
    with pytest.raises(Conflict):
        service.retry_assignment(identity, retrying.assignments.id, "while it works", runtime)
    retrying.assignments.work()
    if turn is DONE:
        with pytest.raises(Conflict):
            retrying.retry("after its end")
    else:
        service.retry_assignment(identity, retrying.assignments.id, "first", runtime)
        with pytest.raises(Conflict):
            service.retry_assignment(identity, retrying.assignments.id, "second", runtime)


def test_what_trying_again_cannot_help_offers_nothing(retrying: Retrying) -> None:
    retrying.script(ValueError("a mistake of ours"))
    retrying.send()
    assert (retrying.assignments.page().view.status, retrying.assignments.page().view.may_retry) == ("failed", False)
    with pytest.raises(Conflict):
        retrying.retry()


def test_only_its_owner_tries_an_assignment_again(retrying: Retrying) -> None:
    retrying.script(*DOWN)
    retrying.send()
    retrying.assignments.share("ben")
    assert retrying.assignments.page("ben").view.may_retry is False
    for name in ("ben", "admin", "gus"):
        with pytest.raises(NotFound):
            retrying.retry(by=name)
    assert len(retrying.runs) == 1


def test_an_assignment_that_waits_for_the_provider_says_until_when(retrying: Retrying, clock: FakeClock) -> None:
    retrying.script(RateLimited("x", retry_after=3_600.0), text_turn("At last."))
    retrying.send()
    version = retrying.assignments.page().view.version
    view = retrying.assignments.page().view
    assert (view.status, view.may_stop, view.may_retry, view.poll_seconds) == ("working", True, False, 15)
    label = render(view.status_label, "en", "Europe/Berlin")
    assert label.startswith("Waiting for the AI model, continues on ")
    with pytest.raises(Conflict) as refused:
        retrying.send("Another one")
    assert "still working" in render(refused.value.text, "en")
    clock.advance(3_600)
    assert resume_waiting(retrying.assignments.runtime) == (view.run_uuid,)
    with reading() as connection:
        unchanged = pages.is_unchanged(connection, retrying.anna.user_id, view.id, view.last_seq, version)
    assert not unchanged, "the poll brings it"
    assert render(retrying.assignments.page().view.status_label, "en") == "Working"
    retrying.assignments.work()
    assert retrying.assignments.page().view.status == "idle"


def test_an_assignment_that_waits_for_the_provider_is_stopped_at_once(retrying: Retrying) -> None:
    retrying.script(RateLimited("x", retry_after=3_600.0))
    retrying.send()
    assert service.stop_assignment(retrying.anna, retrying.assignments.id, retrying.assignments.runtime)
    assert retrying.assignments.page().view.status == "idle"
