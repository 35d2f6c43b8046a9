"""The course of a run: what happened when, in words; names, codes and numbers only, never content (RT-15, RT-16)."""

from __future__ import annotations

from flask import Blueprint, Response

from app.agent.runs import find_run, may_read_run
from app.core.errors import NotFound
from app.web import render
from app.web.cards import readable_conversation
from app.web.current import current
from app.web.guards import requires_sign_in
from app.web.timeline import read_timeline

bp = Blueprint("runs", __name__)


@bp.get("/runs/<uuid:run_uuid>")
@requires_sign_in
def show(run_uuid: str) -> Response:
    """The timeline, for the owner, administrators and auditors."""
    connection, identity = current().connection, current().identity
    run = find_run(connection, run_uuid)
    if run is None or not may_read_run(identity, run):
        raise NotFound(f"run {run_uuid}")
    timeline = read_timeline(connection, identity, run, current().runtime.registry, readable_conversation(run_uuid))
    return render.page("runs/show.html", timeline=timeline)
