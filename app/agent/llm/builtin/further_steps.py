"""Steps that move, redirect, describe and attach files, and restore what was deleted."""

from __future__ import annotations

import re

from app.agent.llm.builtin.languages import language_name, named_language, site_languages
from app.agent.llm.builtin.need import Need, Step
from app.agent.llm.builtin.resolve import Found, Problem, Reads
from app.agent.llm.builtin.text import plain
from app.agent.llm.builtin.transcript import call

_ADDRESS = re.compile(r"/[^\s?#]+")
_TEMPORARY = 302


def move(need: Need, found: Found, place: Found | None) -> Step | Problem:
    """A page below or after another, or a content element to a page or after another element."""
    if place is None or found.table == "files":
        return Problem(line=need.say("no_place"))
    is_after = need.intent.field == "after"
    uid, key = ("after", "step_move_after") if is_after else ("target", "step_move")
    if found.table == "content_elements":
        given = {"element": found.uid, "after" if is_after else "page": place.uid}
        made = call("move_content_element", **given)
        key = key if is_after else "step_move_element"
    else:
        made = call("move_page", **{"page": found.original, uid: place.original})
    return Step(call=made, phrase=need.say(key, record=need.name(found), target=need.name(place)))


def redirect(need: Need, target: Found | None) -> Step | Problem:
    """An address that leads to a page."""
    address = (need.intent.text or "").strip()
    if target is None:
        return Problem(line=need.say("no_reference"))
    if not _ADDRESS.fullmatch(address):
        return Problem(line=need.say("no_address", text=need.quote(address)))
    status = _TEMPORARY if need.intent.temporary else None
    made = call("create_redirect", source=address, target=target.uid, status=status)
    key = "step_redirect_temporary" if need.intent.temporary else "step_redirect"
    return Step(call=made, phrase=need.say(key, address=need.quote(address), target=need.name(target)))


def alternative_text(need: Need, found: Found) -> Step | Problem | Reads:
    """The alternative text of a file, in the language the message names."""
    words = (need.intent.text or "").strip()
    if found.table != "files":
        return Problem(line=need.say("no_file"))
    code, name = None, ""
    if need.intent.language:
        reply = need.results.of(call("list_languages"))
        if reply is None and "list_languages" in need.resolver.offered:
            return Reads(calls=(call("list_languages"),))
        known = [] if reply is None else site_languages(reply)
        code = named_language(need.intent.language, known)
        if code is None:
            return Problem(line=need.say("no_language", language=need.quote(need.intent.language)))
        name = plain(language_name(code, known))
    made = call("set_file_alternative_text", file=found.uid, text=words, language=code)
    if not name:
        return Step(call=made, phrase=need.say("step_alternative", record=need.name(found), text=need.quote(words)))
    phrase = need.say("step_alternative_language", record=need.name(found), text=need.quote(words), language=name)
    return Step(call=made, phrase=phrase)


def attach(need: Need, found: Found, element: Found | None) -> Step | Problem:
    """A file on a content element."""
    if found.table != "files" or element is None or element.table != "content_elements":
        return Problem(line=need.say("no_file"))
    made = call("attach_file_to_content_element", file=found.uid, element=element.uid)
    return Step(call=made, phrase=need.say("step_attach", record=need.name(found), target=need.name(element)))


def restore(need: Need, found: Found) -> Step:
    """A deleted record that is to be there again."""
    made = call("undelete_record", table=found.table, uid=found.uid)
    return Step(call=made, phrase=need.say("step_restore", record=need.name(found)))
