"""The page tree and the page module in words, for people who may read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from flask import url_for
from sqlalchemy.engine import Connection

from app.chat.changes import kind_words
from app.chat.facts import WordsOf, workspace_words
from app.chat.links import edit_url, history_url
from app.chat.view_models import FactView
from app.content import store
from app.content.page_lists import PageList
from app.content.permitted import NOTHING, Permitted, permitted
from app.content.reading import PathStep, RecordSummary, RecordView
from app.content.restorable import DeletedRecord, list_deleted
from app.content.schema import CONTENT_ELEMENTS, PAGES, REGISTRY
from app.content.site import SiteLink, site_address
from app.content.tree import TreeNode
from app.content.types import RecordRef
from app.core.i18n import Text, ptext, text
from app.policy.identity import LIVE, Identity
from app.web.content_values import RecordLinkView
from app.web.content_views import STATES, UNTITLED, groups_in, record_link, words_of
from app.web.editing_values import CommandView
from app.web.page_values import BranchView, DeletedView, ElementView, LanguageColumn, PageModuleView, TreeView
from app.web.record_views import ALL_LANGUAGES, commands, is_translation, language_words

Allowed = Mapping[RecordRef, Permitted]


def tree_views(nodes: Sequence[TreeNode]) -> tuple[TreeView, ...]:
    """Nodes with parents before children as nested values."""
    below: defaultdict[int, list[TreeNode]] = defaultdict(list)
    listed = {node.uid for node in nodes}
    for node in nodes:
        below[node.parent_uid if node.parent_uid in listed and node.level > 1 else 0].append(node)

    def nested(parent: int) -> tuple[TreeView, ...]:
        return tuple(
            TreeView(page=_tree_link(node), below=nested(node.uid), has_children=node.has_children)
            for node in below.get(parent, [])
        )

    return nested(0)


def branch_view(found: PageList, parent_uid: int, part: int) -> BranchView:
    """One part of the pages below a page."""
    return BranchView(pages=tree_views(found.pages), parent_uid=parent_uid, next_part=part + 1 if found.more else None)


def _tree_link(node: TreeNode) -> RecordLinkView:
    hidden = (FactView(name="hidden", value=True, label=ptext("record", "hidden")),) if node.is_hidden else ()
    return RecordLinkView(
        table="pages",
        uid=node.uid,
        title=node.title or UNTITLED,
        kind=kind_words(PAGES.label, node.uid),
        url=f"/pages/{node.uid}",
        language=None,
        facts=hidden,
        state=None if node.version_state is None else STATES[node.version_state],
        is_hidden=node.is_hidden,
    )


def path_views(path: Iterable[PathStep]) -> tuple[RecordLinkView, ...]:
    """The way to a page as links."""
    return tuple(
        RecordLinkView(
            table="pages",
            uid=step.uid,
            title=step.title or UNTITLED,
            kind=kind_words(PAGES.label, step.uid),
            url=f"/pages/{step.uid}",
            language=None,
            facts=(),
        )
        for step in path
    )


def page_module(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    found: RecordView,
    path: Sequence[PathStep],
    *,
    with_deleted: bool,
) -> PageModuleView:
    """A page with its content, one column per language; ``with_deleted``: also what can be restored on it."""
    words = words_of(connection, identity, groups_in([found, *found.elements, *found.translations]))
    allowed = _allowed(connection, identity, workspace_id, found)
    own = allowed.get(RecordRef(table=PAGES.name, uid=found.uid), NOTHING)
    may_restore = workspace_id == LIVE and (own.add_element or own.add_page)
    return PageModuleView(
        record=record_link(found, words, at_page=True),
        workspace=workspace_words(workspace_id, identity),
        path=path_views(path if is_translation(found.row) else path[:-1]),
        columns=_columns(found, words, allowed),
        missing=_missing(found, words, own),
        commands=_page_commands(found, own),
        record_url=edit_url(PAGES.name, found.uid),
        history_url=history_url(PAGES.name, found.uid, workspace_id),
        site_url=_site_url(found, workspace_id),
        default_page=path_views(path[-1:])[0] if is_translation(found.row) and path else None,
        deleted=_deleted(connection, identity, found, words) if with_deleted and may_restore else None,
        deleted_url=url_for("pages.show", uid=found.uid, deleted=1, _anchor="h-deleted") if may_restore else None,
    )


def _allowed(connection: Connection, identity: Identity, workspace_id: int, found: RecordView) -> Allowed:
    uids = [element.uid for element in found.elements]
    elements = store.find_rows(connection, CONTENT_ELEMENTS.name, uids, workspace_id).values()
    pages = store.find_rows(connection, PAGES.name, [item.uid for item in found.translations], workspace_id).values()
    return permitted(connection, identity, workspace_id, [found.row, *elements, *pages])


def _page_commands(found: RecordView, own: Permitted) -> tuple[CommandView, ...]:
    page_uid = found.page_uid
    made = (
        (own.add_element, "new-element", text("New content element"), CONTENT_ELEMENTS.name),
        (own.add_page, "new-page", text("New page below"), PAGES.name),
    )
    creating = tuple(
        CommandView(name=name, label=label, url=url_for("editing.new", table=table, page=page_uid))
        for is_open, name, label, table in made
        if is_open
    )
    return (*creating, *commands(found, own, can_translate=False))


def _site_url(found: RecordView, workspace_id: int) -> str | None:
    """The page on the site, in a draft as its preview."""
    if found.language_code is None:
        return None
    address = site_address(SiteLink(uid=found.page_uid, title=found.title, code=found.language_code))
    return address if workspace_id == LIVE else f"{address}?workspace={workspace_id}"


def _missing(found: RecordView, words: WordsOf, own: Permitted) -> tuple[CommandView, ...]:
    if is_translation(found.row):
        return ()
    there = {0, *(item.language_id for item in found.translations)}
    return tuple(
        CommandView(
            name="translate",
            label=text("Translate into %(language)s", language=language_words(number, words.languages)),
            url=f"{edit_url(PAGES.name, found.uid)}/translation?in={number}" if own.translate else "",
        )
        for number in words.languages
        if number not in there and words.identity.may_use_language(number)
    )


def _columns(found: RecordView, words: WordsOf, allowed: Allowed) -> tuple[LanguageColumn, ...]:
    """The default language first; translations stand in the order of what they translate."""
    by_language: defaultdict[int, list[RecordSummary]] = defaultdict(list)
    for element in found.elements:
        by_language[element.language_id or 0].append(element)
    pages = {item.language_id: item for item in found.translations}
    if is_translation(found.row):
        numbers = [number for number in sorted(by_language) if number != 0] or [int(found.language_id or 0)]
    else:
        numbers = sorted({0, *by_language, *(number for number in pages if number is not None)} - {ALL_LANGUAGES})
        numbers += [ALL_LANGUAGES] if by_language.get(ALL_LANGUAGES) else []
    return tuple(
        LanguageColumn(
            name=language_words(number, words.languages),
            code=words.languages.get(number, (None, ""))[0],
            page=record_link(pages[number], words, at_page=True) if number in pages else None,
            note=_note(number, pages, found),
            elements=_column(number, by_language, words, allowed),
        )
        for number in numbers
    )


def _note(number: int, pages: Mapping[int | None, RecordSummary], found: RecordView) -> Text | None:
    if number in {0, ALL_LANGUAGES} or number in pages or is_translation(found.row):
        return None
    return text("The page itself has no translation in this language.")


def _column(
    number: int, by_language: Mapping[int, list[RecordSummary]], words: WordsOf, allowed: Allowed
) -> tuple[ElementView, ...]:
    own = by_language.get(number, [])
    defaults = by_language.get(0, [])
    if number in {0, ALL_LANGUAGES} or not defaults:
        return tuple(_element(item, words, allowed, by_language) for item in own)
    translated = {item.translation_parent: item for item in own if item.translation_parent}
    known = {item.uid for item in defaults}
    in_order = [
        _element(translated[item.uid], words, allowed, by_language)
        if item.uid in translated
        else _untranslated(item, number, words, allowed)
        for item in defaults
    ]
    others = [item for item in own if item.translation_parent not in known]
    return (*in_order, *(_element(item, words, allowed, by_language) for item in others))


def _element(
    item: RecordSummary, words: WordsOf, allowed: Allowed, by_language: Mapping[int, list[RecordSummary]]
) -> ElementView:
    own = allowed.get(RecordRef(table=item.table, uid=item.uid), NOTHING)
    there = {
        other.language_id for found in by_language.values() for other in found if other.translation_parent == item.uid
    }
    left = [number for number in words.languages if number and number not in there]
    can_translate = any(words.identity.may_use_language(number) for number in left)
    return ElementView(record=record_link(item, words), commands=commands(item, own, can_translate, named=True))


def _untranslated(item: RecordSummary, number: int, words: WordsOf, allowed: Allowed) -> ElementView:
    own = allowed.get(RecordRef(table=item.table, uid=item.uid), NOTHING)
    title = item.title or UNTITLED
    language = language_words(number, words.languages)
    translate = CommandView(
        name="translate",
        label=text("Translate “%(title)s” into %(language)s", title=title, language=language),
        url=f"{edit_url(item.table, item.uid)}/translation?in={number}",
    )
    return ElementView(
        record=None,
        missing=text("“%(title)s” has no translation in this language.", title=title),
        translate=translate if own.translate and words.identity.may_use_language(number) else None,
    )


def _deleted(connection: Connection, identity: Identity, found: RecordView, words: WordsOf) -> tuple[DeletedView, ...]:
    return tuple(_deleted_view(item, words) for item in list_deleted(connection, identity, found.page_uid))


def _deleted_view(item: DeletedRecord, words: WordsOf) -> DeletedView:
    title = item.title or UNTITLED
    return DeletedView(
        table=item.table,
        uid=item.uid,
        title=title,
        kind=kind_words(REGISTRY[item.table].label, item.uid),
        language=None if item.language_id is None else language_words(item.language_id, words.languages),
        at=item.changed_at,
        action=url_for("record_commands.restore", table=item.table, uid=item.uid),
        button=text("Restore “%(title)s”", title=title),
    )
