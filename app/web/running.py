"""Runs for administrators: how many stand where, and the switch that halts them all (I7)."""

from __future__ import annotations

from dataclasses import dataclass

from babel.numbers import format_decimal
from flask import Blueprint, Response, request, url_for

from app.accounts import store as accounts
from app.agent.budgets import day_of, find_used
from app.agent.halting import REASON_LENGTH, count_runs, find_halt, halt_runs, list_switches, resume_runs
from app.agent.types import RunStatus
from app.core import clock
from app.core.errors import Conflict, Invalid
from app.core.i18n import Text, ntext, text
from app.core.visible import visible
from app.web import render
from app.web.current import current
from app.web.guards import administrator, requires
from app.web.locale import locale_code
from app.web.timeline import STATUSES

bp = Blueprint("running", __name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class SwitchView:
    """One time somebody switched; ``by`` is a name or who stands for it."""

    is_halt: bool
    at: int
    by: Text | str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningView:
    """The page."""

    counts: tuple[tuple[str, Text, int], ...]
    """Machine word, words and number of every status."""
    halt: SwitchView | None
    """The switch while it is on."""
    history: tuple[SwitchView, ...]
    used: tuple[Text, ...]
    """What was used of models today, one sentence each."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HaltForm:
    """What was typed, with its problems by field."""

    reason: str = ""
    is_sure: bool = False
    problems: tuple[tuple[str, Text], ...] = ()

    def problem(self, name: str) -> Text | None:
        """What is wrong with a field."""
        return dict(self.problems).get(name)


@bp.get("/runs")
@requires(administrator)
def index() -> Response:
    """Counts by status, the switch and its history."""
    return _page(HaltForm())


@bp.post("/runs")
@requires(administrator, confirmed=True)
def halt() -> Response:
    """Halt every run; needs ``reason`` and the box ``sure``."""
    reason, is_sure = request.form.get("reason", ""), bool(request.form.get("sure"))
    if not is_sure:
        problem = ("sure", text("Tick the box to halt every assignment."))
        missing = () if reason.strip() else (("reason", _ENTER_REASON),)
        return _page(HaltForm(reason=reason, problems=(*missing, problem)), 422)
    identity = current().identity
    current().release()  # the switch waits for everybody who has read it, this request too
    try:
        stopped = halt_runs(identity, reason)
    except Invalid as error:
        return _page(HaltForm(reason=reason, is_sure=True, problems=tuple(error.fields.items())), 422)
    except Conflict as error:
        return _page(HaltForm(reason=reason, is_sure=True, problems=(("switch", error.text),)), 409)
    said = ntext(
        "Every assignment is halted. %(n)s assignment at work stops before its next step.",
        "Every assignment is halted. %(n)s assignments at work stop before their next step.",
        stopped,
    )
    return render.see_other(url_for("running.index", _anchor="switch"), said)


@bp.post("/runs/resumption")
@requires(administrator, confirmed=True)
def resume() -> Response:
    """Let runs begin and go on again."""
    identity, runtime = current().identity, current().runtime
    current().release()
    try:
        queued = resume_runs(identity, runtime)
    except Conflict as error:
        return _page(HaltForm(problems=(("switch", error.text),)), 409)
    said = ntext(
        "Assignments go on. %(n)s assignment was waiting to begin.",
        "Assignments go on. %(n)s assignments were waiting to begin.",
        queued,
    )
    return render.see_other(url_for("running.index", _anchor="switch"), said)


_ENTER_REASON = text("Enter why, in at most %(max)s characters.", max=REASON_LENGTH)


def _page(form: HaltForm, status: int = 200) -> Response:
    return render.page("running/index.html", status=status, view=_view(), form=form, longest=REASON_LENGTH)


def _view() -> RunningView:
    connection = current().connection
    counts, halted, switches = count_runs(connection), find_halt(connection), list_switches(connection)
    people = {entry.user_id for entry in switches} | ({halted.by_user_id} if halted else set())
    names = accounts.names_of(connection, sorted(people))

    def by(user_id: int) -> Text | str:
        return visible(names.get(user_id, "?")) if user_id else text("command line")

    return RunningView(
        counts=tuple((state.value, STATUSES[state.value], counts.get(state, 0)) for state in RunStatus),
        halt=SwitchView(is_halt=True, at=halted.since, by=by(halted.by_user_id), reason=halted.reason)
        if halted
        else None,
        history=tuple(
            SwitchView(is_halt=entry.is_halt, at=entry.at, by=by(entry.user_id), reason=entry.reason)
            for entry in switches
        ),
        used=_used(),
    )


def _used() -> tuple[Text, ...]:
    used = find_used(current().connection, day_of(clock.now()))
    words = [
        ntext("%(n)s request to AI models", "%(n)s requests to AI models", used.requests),
        ntext("%(n)s token read and written", "%(n)s tokens read and written", used.tokens),
    ]
    if used.cost_micro:
        amount = format_decimal(used.cost_micro / 1_000_000, format="#,##0.00", locale=locale_code())
        words.append(text("%(amount)s in the currency of the prices", amount=amount))
    return tuple(words)
