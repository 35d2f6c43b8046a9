"""The pages of commands, put together for one reader."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.engine import Connection

from app.chat.facts import workspace_words
from app.chat.links import edit_url
from app.content import store
from app.content.reading import RecordView
from app.content.schema import PAGES, REGISTRY
from app.content.store import title_of
from app.core.i18n import Text, text
from app.policy.identity import Identity
from app.web.content_views import UNTITLED, groups_in, record_link, words_of
from app.web.current import current
from app.web.editing_values import Choice, ConfirmView
from app.web.forms.records import WORKSPACE
from app.web.new_records import FIRST, LAST, neighbours
from app.web.record_views import language_words


def confirm(
    found: RecordView,
    workspace_id: int,
    *,
    heading: Text,
    consequences: tuple[Text, ...],
    command: str,
    hidden: tuple[tuple[str, str], ...] = (),
    is_danger: bool = False,
    choices: tuple[Choice, ...] = (),
    choices_name: str = "",
    choices_label: Text | None = None,
    box: Choice | None = None,
) -> ConfirmView:
    """The page of a command; ``command`` ends its address, empty = it cannot be given."""
    connection, identity = current().connection, current().identity
    words = words_of(connection, identity, groups_in([found]))
    base = edit_url(found.table, found.uid)
    return ConfirmView(
        heading=heading,
        record=record_link(found, words),
        workspace=workspace_words(workspace_id, identity),
        consequences=consequences,
        action=f"{base}/{command}" if command else "",
        button=heading,
        back_url=base,
        hidden=((WORKSPACE, str(workspace_id)), *hidden),
        is_danger=is_danger,
        choices=choices,
        choices_name=choices_name,
        choices_label=choices_label,
        box=box,
    )


def with_problem(view: ConfirmView, problem: Text | None) -> ConfirmView:
    """The page with what is wrong."""
    return view if problem is None else replace(view, problem=problem)


def languages_left(
    connection: Connection, identity: Identity, found: RecordView, chosen: int | None
) -> tuple[Choice, ...]:
    """Languages of the site, open to the person, in which there is no translation the person sees."""
    known = {language.id: (language.code, language.title) for language in store.list_languages(connection)}
    there = {0, *(translation.language_id for translation in found.translations)}
    left = [number for number in known if number not in there and identity.may_use_language(number)]
    return tuple(
        Choice(
            value=str(number),
            label=language_words(number, known),
            is_chosen=number == chosen or (chosen not in left and number == left[0]),
        )
        for number in left
    )


def places(
    connection: Connection, identity: Identity, workspace_id: int, found: RecordView, page_uid: int
) -> tuple[Text, tuple[Choice, ...]]:
    """Where a record can stand on (pages: below) a page, and what the choice is called; nothing is chosen for its own
    page.
    """
    trait = REGISTRY[found.table]
    others = [
        (uid, title)
        for uid, title in neighbours(connection, identity, workspace_id, trait, page_uid)
        if uid != found.uid
    ]
    after = text("After “%(title)s” (no. %(uid)s)")
    is_here = page_uid == found.row["pid"]
    offered = (
        Choice(value=FIRST, label=text("At the beginning")),
        *(
            Choice(value=str(uid), label=after.with_params(title=title or UNTITLED, uid=str(uid)))
            for uid, title in others
        ),
        Choice(value=LAST, label=text("At the end"), is_chosen=not is_here),
    )
    return _label(connection, workspace_id, page_uid, is_page=trait is PAGES), offered


def _label(connection: Connection, workspace_id: int, page_uid: int, *, is_page: bool) -> Text:
    row = store.find_row(connection, PAGES.name, page_uid, workspace_id) if page_uid else None
    if row is None:
        return text("Place at the root of the site")
    title = title_of(PAGES.name, row.values) or UNTITLED
    if is_page:
        return text("Place below “%(title)s”", title=title)
    return text("Place on the page “%(title)s”", title=title)
