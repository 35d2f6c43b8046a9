"""Records, pages, histories and drafts as the frozen values their templates receive; everything in them was judged before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.chat.card_fields import value_words
from app.chat.changes import kind_words
from app.chat.facts import LANGUAGE_NAMES, Facts, WordsOf, fact_views, workspace_words
from app.chat.links import edit_url, history_url
from app.chat.view_models import FactView, FieldView, Words
from app.content import store
from app.content.differences import Difference, list_differences
from app.content.history import FieldComparison, HistoryEntry, HistoryView
from app.content.reading import FoundRecord, PathStep, RecordSummary, RecordView, TreeNode
from app.content.schema import REGISTRY, FieldKind
from app.content.types import Origin, VersionState
from app.core.i18n import Text, ntext, ptext, text
from app.policy.identity import LIVE, Identity

UNTITLED = text("untitled")
STATES = {
    VersionState.CHANGED: ptext("state in a draft workspace", "changed"),
    VersionState.NEW: ptext("state in a draft workspace", "new"),
    VersionState.DELETED: ptext("state in a draft workspace", "to be deleted"),
    VersionState.MOVED: ptext("state in a draft workspace", "moved"),
}
ACTIONS = {
    "created": ptext("record", "created"),
    "updated": ptext("record", "changed"),
    "moved": ptext("record", "moved"),
    "deleted": ptext("record", "deleted"),
    "published": ptext("record", "published"),
    "discarded": ptext("record", "discarded"),
}
ORIGINS = {
    Origin.PERSON: text("by a person"),
    Origin.RUN: text("by an approved step"),
    Origin.IMPORT: text("by an import"),
    Origin.SEED: text("when the site was set up"),
}
_RECORD_FACTS = frozenset({"language", "hidden", "from", "until", "groups"})
_LONG = frozenset({FieldKind.MARKDOWN, FieldKind.MULTILINE})


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordLinkView:
    """A record in a list."""

    table: str
    uid: int
    title: Words
    kind: Text
    url: str
    language: str | None
    """Language code of the title; None when it is unknown or the table has no languages."""
    facts: tuple[FactView, ...]
    state: Text | None = None
    """What the draft workspace holds of it."""
    is_hidden: bool = False
    place: str = ""
    """Title of the page it lies on, in lists of hits."""
    at: int = 0
    history_url: str | None = None
    history_label: Text | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageGroupView:
    """Content elements of a page in one language."""

    name: Words
    code: str | None
    elements: tuple[RecordLinkView, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueView:
    """A field of a record as it is now."""

    name: str
    label: Text
    value: Words
    is_markdown: bool
    is_long: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordPageView:
    """A record with its fields."""

    record: RecordLinkView
    workspace: Text
    page_url: str | None
    fields: tuple[ValueView, ...]
    translations: tuple[RecordLinkView, ...]
    history_url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PageModuleView:
    """A page with its content by language."""

    record: RecordLinkView
    workspace: Text
    path: tuple[RecordLinkView, ...]
    languages: tuple[LanguageGroupView, ...]
    translations: tuple[RecordLinkView, ...]
    record_url: str
    history_url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeView:
    """A page of the tree with the listed pages below it."""

    page: RecordLinkView
    below: tuple[TreeView, ...]
    has_more: bool
    """Pages lie below that are not listed here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryEntryView:
    """One change."""

    id: int
    at: int
    heading: Text
    origin: Text
    workspace: Text
    fields: tuple[FieldView, ...]
    withheld: Text | None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryPageView:
    """The newest changes of a record."""

    title: Words
    kind: Text
    record_url: str | None
    workspace: Text
    entries: tuple[HistoryEntryView, ...]
    has_more: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceView:
    """A workspace a person may use."""

    id: int
    title: Text
    url: str | None
    is_current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferencesView:
    """What a draft workspace holds."""

    id: int
    title: str
    records: tuple[RecordLinkView, ...]
    withheld: Text | None
    unlisted: Text | None


def words_of(connection: Connection, identity: Identity, groups: Collection[int] = ()) -> WordsOf:
    """Languages of the site, and titles of groups the reader may know."""
    titles = accounts.group_titles(connection, groups) if groups and identity.is_admin else {}
    languages = {language.id: (language.code, language.title) for language in store.list_languages(connection)}
    return WordsOf(identity=identity, languages=languages, group_titles=titles)


def group_ids(listed: str | None) -> tuple[int, ...]:
    """Ids of a stored list of groups."""
    return tuple(int(part) for part in (listed or "").split(",") if part.strip().isdecimal())


def record_link(summary: RecordSummary, words: WordsOf, *, at_page: bool = False) -> RecordLinkView:
    """A record with its facts in words."""
    trait = REGISTRY[summary.table]
    facts = Facts(
        action="unknown",
        workspace_id=None,
        language_id=summary.language_id,
        hidden=summary.is_hidden,
        starttime=summary.starttime or 0,
        endtime=summary.endtime or 0,
        groups=group_ids(summary.groups),
    )
    return RecordLinkView(
        table=summary.table,
        uid=summary.uid,
        title=summary.title or UNTITLED,
        kind=kind_words(trait.label, summary.uid),
        url=f"/pages/{summary.uid}" if at_page else edit_url(summary.table, summary.uid),
        language=summary.language_code,
        facts=tuple(fact for fact in fact_views(facts, words) if fact.name in _RECORD_FACTS),
        state=None if summary.version_state is None else STATES[summary.version_state],
        is_hidden=bool(summary.is_hidden),
    )


def tree_views(nodes: Sequence[TreeNode]) -> tuple[TreeView, ...]:
    """Nodes in depth-first order as nested values."""
    below: defaultdict[int, list[TreeNode]] = defaultdict(list)
    listed = {node.uid for node in nodes}
    for node in nodes:
        below[node.parent_uid if node.parent_uid in listed else 0].append(node)

    def nested(parent: int) -> tuple[TreeView, ...]:
        return tuple(_branch(node, nested(node.uid)) for node in below.get(parent, []))

    return nested(0)


def _branch(node: TreeNode, below: tuple[TreeView, ...]) -> TreeView:
    hidden = (FactView(name="hidden", value=True, label=ptext("record", "hidden")),) if node.is_hidden else ()
    link = RecordLinkView(
        table="pages",
        uid=node.uid,
        title=node.title or UNTITLED,
        kind=kind_words(REGISTRY["pages"].label, node.uid),
        url=f"/pages/{node.uid}",
        language=None,
        facts=hidden,
        state=None if node.version_state is None else STATES[node.version_state],
        is_hidden=node.is_hidden,
    )
    return TreeView(page=link, below=below, has_more=node.has_children and not below)


def hit_views(records: Iterable[FoundRecord]) -> tuple[RecordLinkView, ...]:
    """Hits of a search for pages."""
    return tuple(
        RecordLinkView(
            table=hit.table,
            uid=hit.uid,
            title=hit.title or UNTITLED,
            kind=kind_words(REGISTRY[hit.table].label, hit.uid),
            url=f"/pages/{hit.uid}",
            language=hit.language_code,
            facts=(FactView(name="hidden", value=True, label=ptext("record", "hidden")),) if hit.is_hidden else (),
            place=hit.parent_title,
        )
        for hit in records
    )


def page_module(
    connection: Connection, identity: Identity, found: RecordView, path: Sequence[PathStep]
) -> PageModuleView:
    """A page with its content, one group per language."""
    words = words_of(connection, identity, _groups_in([found, *found.elements, *found.translations]))
    return PageModuleView(
        record=record_link(found, words, at_page=True),
        workspace=workspace_words(identity.workspace_id or LIVE, identity),
        path=tuple(_step(step) for step in path[:-1]),
        languages=_by_language(found.elements, words),
        translations=tuple(record_link(translation, words, at_page=True) for translation in found.translations),
        record_url=edit_url("pages", found.uid),
        history_url=history_url("pages", found.uid, identity.workspace_id or LIVE),
    )


def _step(step: PathStep) -> RecordLinkView:
    kind = kind_words(REGISTRY["pages"].label, step.uid)
    title = step.title or UNTITLED
    return RecordLinkView(
        table="pages", uid=step.uid, title=title, kind=kind, url=f"/pages/{step.uid}", language=None, facts=()
    )


def _by_language(elements: Sequence[RecordSummary], words: WordsOf) -> tuple[LanguageGroupView, ...]:
    groups: defaultdict[int, list[RecordSummary]] = defaultdict(list)
    for element in elements:
        groups[0 if element.language_id is None else element.language_id].append(element)
    return tuple(
        LanguageGroupView(
            name=_language(language_id, words),
            code=words.languages.get(language_id, (None, ""))[0],
            elements=tuple(record_link(element, words) for element in groups[language_id]),
        )
        for language_id in sorted(groups)
    )


def _language(language_id: int, words: WordsOf) -> Words:
    if language_id == -1:
        return text("any language")
    code, title = words.languages.get(language_id, ("", str(language_id)))
    return LANGUAGE_NAMES.get(code, title)


def _groups_in(records: Iterable[RecordSummary]) -> frozenset[int]:
    return frozenset(group for record in records for group in group_ids(record.groups))


def record_page(connection: Connection, identity: Identity, found: RecordView) -> RecordPageView:
    """A record with every field the reader has a grant for."""
    words = words_of(connection, identity, _groups_in([found, *found.translations]))
    trait = REGISTRY[found.table]
    fields = tuple(
        ValueView(
            name=field.name,
            label=field.label,
            value=value_words(field, found.fields[field.name]),
            is_markdown=field.kind is FieldKind.MARKDOWN and bool(found.fields[field.name]),
            is_long=field.kind in _LONG,
        )
        for field in trait.fields
        if field.name in found.fields and field.kind is not FieldKind.GROUPS
    )
    return RecordPageView(
        record=record_link(found, words),
        workspace=workspace_words(identity.workspace_id or LIVE, identity),
        page_url=f"/pages/{found.page_uid}" if found.page_uid else None,
        fields=fields,
        translations=tuple(record_link(translation, words) for translation in found.translations),
        history_url=history_url(found.table, found.uid, identity.workspace_id or LIVE),
    )


def history_page(connection: Connection, identity: Identity, found: HistoryView) -> HistoryPageView:
    """The newest changes, with who made them."""
    names = accounts.names_of(connection, [entry.user_id for entry in found.entries])
    return HistoryPageView(
        title=found.title or UNTITLED,
        kind=kind_words(REGISTRY[found.table].label, found.uid),
        record_url=None if found.is_deleted else edit_url(found.table, found.uid),
        workspace=workspace_words(found.workspace_id, identity),
        entries=tuple(_history_entry(identity, found.table, entry, names) for entry in found.entries),
        has_more=found.more,
    )


def _history_entry(
    identity: Identity, table: str, entry: HistoryEntry, names: dict[int, str]
) -> HistoryEntryView:
    action = ACTIONS.get(entry.action, text("action not recorded"))
    name = names.get(entry.user_id)
    heading = text("%(action)s by %(name)s", action=action, name=name) if name else action
    hidden = entry.withheld_fields
    return HistoryEntryView(
        id=entry.id,
        at=entry.at,
        heading=heading,
        origin=ORIGINS[entry.origin],
        workspace=workspace_words(entry.workspace_id, identity),
        fields=tuple(_field(table, field) for field in entry.fields),
        withheld=ntext(
            "%(n)s field is not shown, because you have no right to it.",
            "%(n)s fields are not shown, because you have no right to them.",
            hidden,
        )
        if hidden
        else None,
    )


def _field(table: str, field: FieldComparison) -> FieldView:
    trait = REGISTRY[table].field_by_name[field.name]
    old = None if field.old is None else value_words(trait, field.old)
    new = None if field.new is None else value_words(trait, field.new)
    return FieldView(name=field.name, label=field.label, old=old, new=new)


def workspace_views(identity: Identity) -> tuple[WorkspaceView, ...]:
    """Live, where the person has it, and their draft workspaces by title."""
    live = [LIVE] if identity.may_use_workspace(LIVE) else []
    drafts = sorted(identity.workspaces, key=lambda number: (identity.workspaces[number].casefold(), number))
    return tuple(
        WorkspaceView(
            id=number,
            title=workspace_words(number, identity),
            url=f"/workspaces/{number}" if number else None,
            is_current=number == identity.workspace_id,
        )
        for number in [*live, *drafts]
    )


def difference_views(connection: Connection, identity: Identity, workspace_id: int) -> DifferencesView:
    """What a draft holds, as far as the person may read it; the rest is counted."""
    found = list_differences(connection, identity, workspace_id)
    groups = {group for item in found.records for group in group_ids(item.record.values.get("groups"))}
    words = words_of(connection, identity, groups)
    return DifferencesView(
        id=workspace_id,
        title=identity.workspaces[workspace_id],
        records=tuple(_difference(item, words) for item in found.records),
        withheld=ntext(
            "%(n)s further record is not shown.", "%(n)s further records are not shown.", found.withheld
        )
        if found.withheld
        else None,
        unlisted=ntext(
            "%(n)s entry was left out because the list is limited.",
            "%(n)s entries were left out because the list is limited.",
            found.unlisted,
        )
        if found.unlisted
        else None,
    )


def _difference(item: Difference, words: WordsOf) -> RecordLinkView:
    record, trait = item.record, REGISTRY[item.record.table]
    values = record.values
    language_id = int(values["language_id"]) if trait.has_language else None
    facts = Facts(
        action="unknown",
        workspace_id=None,
        language_id=language_id,
        hidden=bool(values["hidden"]) if trait.can_hide else None,
        starttime=values["starttime"] if trait.has_times else 0,
        endtime=values["endtime"] if trait.has_times else 0,
        groups=group_ids(values["groups"]) if trait.has_groups else (),
    )
    title = record.title or UNTITLED
    return RecordLinkView(
        table=record.table,
        uid=record.live_uid,
        title=title,
        kind=kind_words(trait.label, record.live_uid),
        url=edit_url(record.table, record.live_uid),
        language=words.languages.get(language_id if language_id is not None else -2, (None, ""))[0],
        facts=tuple(fact for fact in fact_views(facts, words) if fact.name in _RECORD_FACTS),
        state=STATES[item.state],
        at=item.changed_at,
        history_url=history_url(record.table, record.live_uid, record.workspace_id),
        history_label=text("View changes: “%(title)s”", title=title),
    )
