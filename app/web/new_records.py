"""The form of a record that does not exist yet: where it goes, in which language, and what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import request, url_for
from sqlalchemy.engine import Connection

from app.chat.facts import workspace_words
from app.chat.view_models import Words
from app.content import rights, store
from app.content.errors import not_found
from app.content.page_lists import list_below, topmost_pages
from app.content.reading import list_readable_records, read_record
from app.content.schema import PAGES, REGISTRY, TableTrait
from app.content.store import title_of
from app.content.traits import FieldTrait
from app.content.types import Row
from app.core.i18n import Text, text
from app.policy.identity import Identity
from app.web.arguments import parse_number
from app.web.content_views import UNTITLED
from app.web.current import current
from app.web.editing_values import NewPageView, RecordFormView
from app.web.forms.base import Form
from app.web.forms.records import WORKSPACE
from app.web.guards import standing_or_404
from app.web.record_forms import NOT_BY_FORM, controls, editable_fields, fill_form
from app.web.record_views import language_words

ALL_LANGUAGES = -1
LAST, FIRST = "last", "first"
NEW = text("New record of the kind “%(kind)s”")


@dataclass(frozen=True, kw_only=True, slots=True)
class NewPlace:
    """Where a new record goes on its page."""

    language_id: int
    after_uid: int | None
    first: bool


def read_place() -> NewPlace:
    """Place and language of the form that was sent; what cannot be read is the usual: last, in the first language."""
    place = request.form.get("place", LAST)
    return NewPlace(
        language_id=_language(request.form.get("in-language")) or 0,
        after_uid=parse_number(place) or None,
        first=place == FIRST,
    )


def _language(words: str | None) -> int | None:
    return ALL_LANGUAGES if words == str(ALL_LANGUAGES) else parse_number(words or "")


def new_form(table: str, page_uid: int, *, sent: bool = False) -> tuple[Form, tuple[FieldTrait, ...]]:
    """The form and its fields, for a person who may read the page and make such a record there. Raises ``not_found``
    for others.
    """
    trait = REGISTRY[table]
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    if table in NOT_BY_FORM or trait.judged_by_file is not None:
        raise not_found()
    if page_uid:
        read_record(connection, identity, workspace_id, PAGES.name, page_uid)
    rights.require_create(connection, identity, workspace_id, table, page_uid, _first_language(identity, trait))
    fields = editable_fields(identity, trait)
    return fill_form(connection, identity, fields, _blank(fields), request.form if sent else None), fields


def _blank(fields: Sequence[FieldTrait]) -> dict[str, str]:
    return {field.name: "" for field in fields}


def _first_language(identity: Identity, trait: TableTrait) -> int:
    """The default language, or the first one the person may use; of pages always the default one."""
    if trait is PAGES or not trait.has_language or identity.languages is None or identity.is_admin:
        return 0
    return min(identity.languages, default=0)


def new_page(
    table: str,
    page_uid: int,
    *,
    sent: bool = False,
    form: Form | None = None,
    problem: Text | None = None,
    after: str | None = None,
    language: str | None = None,
) -> NewPageView:
    """The page of the form; ``after`` and ``language`` choose beforehand."""
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    fresh, fields = new_form(table, page_uid, sent=sent)
    trait = REGISTRY[table]
    parent = store.find_row(connection, PAGES.name, page_uid, workspace_id) if page_uid else None
    chosen = form or fresh
    languages = _languages(connection, identity, trait)
    wanted = _language(request.form.get("in-language") if sent else language)
    numbers = [number for number, _ in languages]
    return NewPageView(
        heading=_heading(trait),
        workspace=workspace_words(workspace_id, identity),
        place=_place_words(trait, parent),
        back_url=f"/pages/{page_uid}" if page_uid else "/pages",
        form=RecordFormView(
            action=url_for("editing.new", table=table, page=page_uid or None),
            controls=controls(connection, identity, workspace_id, fields, chosen, {}),
            problems=(*((("", problem),) if problem else ()), *chosen.problems()),
            hidden=((WORKSPACE, str(workspace_id)),),
            language=None,
            places=_places(connection, identity, workspace_id, trait, page_uid),
            place=(request.form.get("place") if sent else after) or LAST,
            languages=languages,
            language_id=wanted if wanted in numbers and wanted is not None else (numbers or [0])[0],
        ),
    )


def _heading(trait: TableTrait) -> Text:
    known = {
        "pages": text("New page"),
        "content_elements": text("New content element"),
        "contacts": text("New contact"),
    }
    return known.get(trait.name, NEW.with_params(kind=trait.label))


def _place_words(trait: TableTrait, parent: Row | None) -> Text:
    if parent is None:
        return text("At the root of the site.")
    title = title_of(PAGES.name, parent.values) or UNTITLED
    if trait is PAGES:
        return text("Below the page “%(title)s”.", title=title)
    return text("On the page “%(title)s”.", title=title)


def _languages(connection: Connection, identity: Identity, trait: TableTrait) -> tuple[tuple[int, Words], ...]:
    """Languages a record of its own may be in; a page in another language is a translation."""
    if not trait.has_language or trait is PAGES:
        return ()
    known = {language.id: (language.code, language.title) for language in store.list_languages(connection)}
    numbers = [number for number in (*known, ALL_LANGUAGES) if identity.may_use_language(number)]
    return tuple((number, language_words(number, known)) for number in numbers)


def _places(
    connection: Connection, identity: Identity, workspace_id: int, trait: TableTrait, page_uid: int
) -> tuple[tuple[str, Text], ...]:
    if not trait.has_sorting:
        return ()
    after = text("After “%(title)s” (no. %(uid)s)")
    ends = ((LAST, text("At the end")), (FIRST, text("At the beginning")))
    return (
        *ends,
        *(
            (str(uid), after.with_params(title=title or UNTITLED, uid=str(uid)))
            for uid, title in neighbours(connection, identity, workspace_id, trait, page_uid)
        ),
    )


def neighbours(
    connection: Connection, identity: Identity, workspace_id: int, trait: TableTrait, page_uid: int
) -> list[tuple[int, str]]:
    """Records of the table that stand on a page (pages: below it), by public uid with title; no translations."""
    if trait is not PAGES:
        found = list_readable_records(connection, identity, workspace_id, trait.name, page_uid)
        return [(item.uid, item.title) for item in found if not item.translation_parent]
    if page_uid:
        return [(node.uid, node.title) for node in list_below(connection, identity, workspace_id, page_uid).pages]
    tops = store.find_rows(connection, PAGES.name, topmost_pages(connection, identity, workspace_id), workspace_id)
    return [(uid, title_of(PAGES.name, row.values)) for uid, row in tops.items()]
