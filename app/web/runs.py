"""The course of a run: what happened when, in words; names, codes and numbers only, never content (RT-15, RT-16).

Its initiator and administrators can stop it from there, also when nothing of it can be read any more (RT-14).
"""

from __future__ import annotations

from flask import Blueprint, Response, url_for

from app.agent.run_rows import RunView
from app.agent.runs import cancel_run, find_run, may_act_on_turn, may_cancel_run, may_read_run
from app.agent.types import RunStatus
from app.core.errors import Forbidden, NotFound
from app.core.i18n import Text, text
from app.web import render
from app.web.cards import readable_conversation
from app.web.current import current
from app.web.guards import requires_sign_in
from app.web.timeline import read_timeline

bp = Blueprint("runs", __name__)
STOPPED = text("The assignment was stopped.")
STOPPING = text("The assignment stops before its next step.")
ENDED_BEFORE = text("The assignment had ended already. Nothing was changed.")


@bp.get("/runs/<uuid:run_uuid>")
@requires_sign_in
def show(run_uuid: str) -> Response:
    """The timeline, for the owner, administrators and auditors."""
    connection, identity = current().connection, current().identity
    run = find_run(connection, run_uuid)
    if run is None or not may_read_run(identity, run):
        raise NotFound(f"run {run_uuid}")
    timeline = read_timeline(connection, identity, run, current().runtime, readable_conversation(run_uuid))
    return render.page("runs/show.html", timeline=timeline)


@bp.get("/runs/<uuid:run_uuid>/cancellation")
@requires_sign_in
def confirm_cancellation(run_uuid: str) -> Response:
    """What stopping would bring about, and the form that does it."""
    run = _cancellable(run_uuid)
    if run.status.is_final:
        return render.see_other(_state(run_uuid), ENDED_BEFORE, kind="info")
    return render.page("runs/cancellation.html", run_uuid=run_uuid, is_working=run.status is RunStatus.RUNNING)


@bp.post("/runs/<uuid:run_uuid>/cancellation")
@requires_sign_in
def cancel(run_uuid: str) -> Response:
    """Stop the run."""
    is_working = _cancellable(run_uuid).status is RunStatus.RUNNING
    identity, runtime = current().identity, current().runtime
    current().release()
    if not cancel_run(identity, run_uuid, runtime):
        return render.see_other(_state(run_uuid), ENDED_BEFORE, kind="info")
    said: Text = STOPPING if is_working else STOPPED
    return render.see_other(_state(run_uuid), said)


def _cancellable(run_uuid: str) -> RunView:
    """The run, for those who may stop it; who may only see it is told so, others learn nothing of it."""
    identity = current().identity
    run = find_run(current().connection, run_uuid)
    if run is None or not (may_read_run(identity, run) or may_act_on_turn(identity, run)):
        raise NotFound(f"run {run_uuid}")
    if not may_cancel_run(identity, run):
        raise Forbidden(f"run {run_uuid}")
    return run


def _state(run_uuid: str) -> str:
    return url_for("runs.show", run_uuid=run_uuid, _anchor="state")
