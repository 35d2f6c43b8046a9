"""From an intent and the records it names to one write call, or what stands in its way."""

from __future__ import annotations

from app.agent.llm.builtin.further_steps import alternative_text, attach, move, redirect, restore
from app.agent.llm.builtin.languages import SiteLanguage, language_name, named_language, open_languages, site_languages
from app.agent.llm.builtin.need import Need, Step
from app.agent.llm.builtin.resolve import Found, Later, Problem, Question, Reads, Resolved
from app.agent.llm.builtin.text import one_line, plain
from app.agent.llm.builtin.transcript import Call, call, number_in, text_in

_METADATA = frozenset({"title", "subtitle", "description", "keywords", "nav_title"})


def write_step(need: Need, subject: Resolved | None, target: Resolved | None) -> Step | Resolved:
    """The step for a write intent. Reads come before questions, so that one answer asks for what is missing."""
    intent = need.intent
    if (missing := _missing(need)) is not None:
        return missing
    if intent.kind == "translate":
        return _translate(need, subject)
    reads = [made for r in (subject, target) if isinstance(r, Reads) for made in r.calls]
    if reads:
        return Reads(calls=tuple(reads))
    for kind in (Question, Problem, Later):
        for resolved in (subject, target):
            if isinstance(resolved, kind):
                return resolved
    found = subject if isinstance(subject, Found) else None
    below = target if isinstance(target, Found) else None
    if intent.kind == "create_page" and below is not None:
        return _create(need, below)
    if intent.kind == "redirect":
        return redirect(need, below)
    if intent.kind == "alternative" and found is not None:
        return alternative_text(need, found)
    return _on_record(need, found, below) if found is not None else Problem(line=need.say("no_reference"))


def _missing(need: Need) -> Problem | None:
    """What the message itself lacks."""
    intent = need.intent
    if intent.kind == "create_page":
        if not (intent.text or "").strip():
            return Problem(line=need.say("no_title"))
        return Problem(line=need.say("no_parent")) if intent.target is None else None
    if intent.kind in ("metadata", "element", "add_text", "alternative") and not (intent.text or "").strip():
        return Problem(line=need.say("no_text"))
    return None


def _on_record(need: Need, found: Found, below: Found | None) -> Step | Problem:
    intent, text = need.intent, (need.intent.text or "").strip()
    if intent.kind in ("copy", "metadata", "add_text") and found.table != "pages":
        return Problem(line=need.say("no_page_for_element"))
    match intent.kind:
        case "copy":
            return _copy(need, found, below)
        case "metadata":
            return _metadata(need, found, one_line(text))
        case "element":
            value = one_line(text) if intent.field == "header" else text
            made = call("update_content_element", element=found.uid, **{intent.field: value})
            return Step(call=made, phrase=_field_phrase(need, found, intent.field, value))
        case "add_text":
            return _add_text(need, found, text)
        case "move":
            return move(need, found, below)
        case "attach":
            return attach(need, found, below)
        case "undelete":
            return restore(need, found)
        case "hide":
            if found.hidden is True:
                return Problem(line=need.say("already_hidden", record=need.name(found)))
            return _plain(need, "hide_record", "step_hide", found)
        case "unhide":
            if found.hidden is False:
                return Problem(line=need.say("already_visible", record=need.name(found)))
            return _plain(need, "publish_record", "step_unhide", found)
    return _plain(need, "delete_record", "step_delete", found)


def _plain(need: Need, tool: str, phrase: str, found: Found) -> Step:
    made = call(tool, table=found.table, uid=found.uid)
    return Step(call=made, phrase=need.say(phrase, record=need.name(found)))


def _copy(need: Need, found: Found, below: Found | None) -> Step:
    subpages = need.intent.subpages
    key = "step_copy" + ("_same" if below is None else "") + ("_subpages" if subpages else "")
    made = call(
        "copy_page", page=found.original, target=below.original if below is not None else None, subpages=subpages
    )
    values = {} if below is None else {"target": need.name(below, below.original)}
    return Step(call=made, phrase=need.say(key, record=need.name(found, found.original), **values))


def _metadata(need: Need, found: Found, text: str) -> Step:
    name = need.intent.field if need.intent.field in _METADATA else "description"
    made = call("update_page_metadata", page=found.uid, **{name: text})
    if name == "title":
        return Step(call=made, phrase=need.say("step_title", record=need.name(found), text=need.quote(text)))
    return Step(call=made, phrase=_field_phrase(need, found, name, text))


def _field_phrase(need: Need, found: Found, name: str, text: str) -> str:
    field = need.resolver.voice.field(name)
    return need.say("step_metadata", record=need.name(found), field=field, text=need.quote(text))


def _create(need: Need, below: Found) -> Step:
    title = one_line(need.intent.text or "")
    made = call("create_page_draft", parent=below.original, title=title)
    phrase = need.say("step_create", title=need.quote(title), target=need.name(below, below.original))
    return Step(call=made, phrase=phrase)


def _add_text(need: Need, found: Found, text: str) -> Step:
    heading = need.intent.heading or None
    made = call("create_content_element_draft", page=found.uid, header=heading, body=text)
    if heading is None:
        return Step(call=made, phrase=need.say("step_add_text", text=need.quote(text), record=need.name(found)))
    values = {"text": need.quote(text), "heading": need.quote(heading), "record": need.name(found)}
    return Step(call=made, phrase=need.say("step_add_text_heading", **values))


def _translate(need: Need, subject: Resolved | None) -> Step | Resolved:
    """A translation needs the languages of the site and the record itself, to see what is translated already."""
    reads: list[Call] = list(subject.calls) if isinstance(subject, Reads) else []
    known: list[SiteLanguage] = []
    if "list_languages" in need.resolver.offered:
        reply = need.results.of(call("list_languages"))
        if reply is None:
            reads.append(call("list_languages"))
        else:
            known = site_languages(reply)
    found: Resolved | None = subject
    if isinstance(subject, Found):
        found = need.resolver.by_number(subject.table, subject.original)
        reads += found.calls if isinstance(found, Reads) else ()
    if reads:
        return Reads(calls=tuple(reads))
    if found is None or isinstance(found, Problem | Question):
        return found or Problem(line=need.say("no_reference"))
    code = _language(need, found if isinstance(found, Found) else None, known)
    if not isinstance(code, str):
        return code
    return found if not isinstance(found, Found) else _translation(need, found, code, language_name(code, known))


def _language(need: Need, found: Found | None, known: list[SiteLanguage]) -> str | Problem | Question:
    if need.intent.language:
        code = named_language(need.intent.language, known)
        return code or Problem(line=need.say("no_language", language=need.quote(need.intent.language)))
    translated = {text_in(row, "language") for row in records_of_translations(found)}
    choices = open_languages(known, found.language if found is not None else "", translated)
    by_code = {language.code.casefold(): language.code for language in choices}
    if need.request.chosen_language in by_code:
        return by_code[need.request.chosen_language or ""]
    if len(choices) == 1:
        return choices[0].code
    if need.request.language in by_code:
        return by_code[need.request.language]
    if not choices:
        return Problem(line=need.say("no_open_language"))
    name = need.name(found) if found is not None else need.say("page_new")
    lines = [need.say("language_choice", record=name)]
    lines += [need.say("languages_line", code=lang.code, title=plain(lang.title)) for lang in choices]
    return Question(text="\n".join(lines) + "\n\n" + need.say("which_language"))


def _translation(need: Need, found: Found, code: str, name: str) -> Step | Problem:
    if found.language and found.language.casefold() == code.casefold():
        return Problem(line=need.say("same_language", record=need.name(found), language=plain(name)))
    for row in records_of_translations(found):
        if text_in(row, "language").casefold() == code.casefold():
            uid = number_in(row, "uid") or 0
            line = need.say("already_translated", record=need.name(found), language=plain(name), uid=uid)
            return Problem(line=line)
    made = call("create_translation_draft", table=found.table, uid=found.uid, language=code)
    return Step(call=made, phrase=need.say("step_translate", record=need.name(found), language=plain(name)))


def records_of_translations(found: Found | None) -> list[dict[str, object]]:
    """The translations a read record reported."""
    rows = found.row.get("translations") if found is not None else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
