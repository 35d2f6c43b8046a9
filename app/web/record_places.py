"""Commands that need a place: copy and move. Their pages hold a search for the page to go to."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from app.content import editing
from app.content.consequences import count_taken_along
from app.content.errors import not_found
from app.content.schema import PAGES, REGISTRY
from app.core.i18n import Text, text
from app.policy.identity import Identity
from app.policy.permissions import PageBit
from app.web.arguments import optional_number, parse_number, required_number, search_words
from app.web.command_flow import Named, command_page, give, named_record
from app.web.command_views import confirm, places, with_problem
from app.web.command_words import (
    copy_words,
    move_words,
)
from app.web.current import current
from app.web.editing_values import Choice, TargetView
from app.web.guards import requires_sign_in
from app.web.render import see_other
from app.web.targets import target_pages

bp = Blueprint("record_places", __name__)
SHOWN = "shown"
"""The page whose places a form shows."""


@bp.get("/records/<table:table>/<id:uid>/copy")
@requires_sign_in
def confirm_copy(table: str, uid: int) -> Response:
    """Where to, with or without the pages below; ``q`` searches for the target."""
    return _copy_page(named_record(table, uid, lambda allowed: allowed.copy))


def _copy_page(named: Named, problem: Text | None = None, status: int = 200) -> Response:
    connection, identity, found = current().connection, current().identity, named.found
    along = count_taken_along(connection, identity, named.workspace_id, found.row)
    query, parent = search_words(), int(found.row["pid"])
    is_page = found.table == PAGES.name
    bit, without = (PageBit.NEW, found.uid) if is_page else (PageBit.CONTENT, 0)
    targets = target_pages(connection, identity, named.workspace_id, query, bit, parent, without=without)
    view = confirm(
        found,
        named.workspace_id,
        heading=text("Copy “%(title)s”", title=named.title),
        consequences=copy_words(along, found.table, named.workspace_id),
        command="copy" if targets.choices else "",
        choices=targets.choices,
        choices_name="to",
        choices_label=text("Copy below") if is_page else text("Copy to the page"),
        box=Choice(value="subpages", label=text("With the pages below it")) if along.records.get("pages") else None,
    )
    target = TargetView(
        action=url_for("record_places.confirm_copy", table=found.table, uid=found.uid),
        query=query,
        choices=(),
        button=text("Search"),
        found=targets.is_found,
        more=targets.more,
    )
    return command_page(with_problem(view, problem), status, target)


@bp.post("/records/<table:table>/<id:uid>/copy")
@requires_sign_in
def copy(table: str, uid: int) -> Response:
    """Copy it below the page ``to``."""
    named = named_record(table, uid, lambda allowed: allowed.copy)
    target = parse_number(request.form.get("to", ""))
    if target is None:
        return _copy_page(named, text("Choose a page to copy to."), 422)
    subpages = request.form.get("subpages") == "1"

    def act(identity: Identity) -> editing.Edited:
        if named.found.table == PAGES.name:
            return editing.copy_page(identity, named.workspace_id, named.found.uid, target, subpages=subpages)
        return editing.copy_record(identity, named.workspace_id, named.found.table, named.found.uid, target)

    return give(named, "copy", lambda problem, status: _copy_page(named, problem, status), act)


@bp.get("/records/<table:table>/<id:uid>/move")
@requires_sign_in
def confirm_move(table: str, uid: int) -> Response:
    """Where to: ``to`` is the page, ``q`` searches for one; then the places on it."""
    return _move_page(named_record(table, uid, lambda allowed: allowed.move), optional_number("to"))


def _move_page(named: Named, asked: int | None, problem: Text | None = None, status: int = 200) -> Response:
    connection, identity, found = current().connection, current().identity, named.found
    trait, query = REGISTRY[found.table], search_words()
    present = int(found.row["pid"])
    target = present if asked is None else asked
    bit = PageBit.NEW if trait is PAGES else PageBit.CONTENT
    without = found.uid if trait is PAGES else 0
    targets = target_pages(connection, identity, named.workspace_id, query, bit, target, without=without)
    if asked is not None and asked != present and str(asked) not in {choice.value for choice in targets.choices}:
        raise not_found()
    along = count_taken_along(connection, identity, named.workspace_id, found.row)
    label, offered = places(connection, identity, named.workspace_id, found, target)
    view = confirm(
        found,
        named.workspace_id,
        heading=text("Move “%(title)s”", title=named.title),
        consequences=move_words(along, found.table, named.workspace_id),
        command="move",
        hidden=((SHOWN, str(target)), ("q", query)),
        choices=offered,
        choices_name="place",
        choices_label=label,
    )
    action = url_for("record_places.confirm_move", table=found.table, uid=found.uid)
    form = TargetView(
        action=action,
        query=query,
        choices=targets.choices,
        button=text("Show the places there"),
        found=targets.is_found,
        more=targets.more,
    )
    return command_page(with_problem(view, problem), status, form)


@bp.post("/records/<table:table>/<id:uid>/move")
@requires_sign_in
def move(table: str, uid: int) -> Response:
    """Move it to ``place`` on the page ``to``; ``show`` asks for the places on another page first.

    The page whose places were ``shown`` may be another one than is chosen now: then nothing is moved.
    """
    named = named_record(table, uid, lambda allowed: allowed.move)
    target, place = required_number("to" if "to" in request.form else SHOWN), request.form.get("place", "")
    if "show" in request.form:
        query = request.form.get("q", "")
        places_there = url_for(
            "record_places.confirm_move", table=table, uid=uid, to=target, q=query, _anchor="choices"
        )
        return see_other(places_there)
    if request.form.get(SHOWN, str(target)) != str(target):
        return _move_page(named, target, text("Choose a place on the page you chose last."), 422)
    after = parse_number(place)
    _, offered = places(current().connection, current().identity, named.workspace_id, named.found, target)
    if place not in {choice.value for choice in offered}:
        return _move_page(named, target, text("Choose a place."), 422)
    page_uid = None if target == int(named.found.row["pid"]) else target
    return give(
        named,
        "move",
        lambda problem, status: _move_page(named, target, problem, status),
        lambda identity: editing.move_record(
            identity,
            named.workspace_id,
            table,
            named.found.uid,
            page_uid=page_uid,
            after_uid=after or None,
            first=place == "first",
        ),
    )
