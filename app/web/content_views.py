"""Records and pages in words, for people who may read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.chat.card_fields import value_words
from app.chat.changes import kind_words
from app.chat.facts import LANGUAGE_NAMES, Facts, WordsOf, fact_views, workspace_words
from app.chat.links import edit_url, history_url
from app.chat.view_models import FactView, Words
from app.content import store
from app.content.reading import FoundRecord, PathStep, RecordSummary, RecordView, TreeNode
from app.content.schema import REGISTRY, FieldKind
from app.content.types import VersionState
from app.core.i18n import ptext, text
from app.policy.identity import LIVE, Identity
from app.web.content_values import (
    LanguageGroupView,
    PageModuleView,
    RecordLinkView,
    RecordPageView,
    TreeView,
    ValueView,
)

UNTITLED = text("untitled")
STATES = {
    VersionState.CHANGED: ptext("state in a draft workspace", "changed"),
    VersionState.NEW: ptext("state in a draft workspace", "new"),
    VersionState.DELETED: ptext("state in a draft workspace", "to be deleted"),
    VersionState.MOVED: ptext("state in a draft workspace", "moved"),
}
_RECORD_FACTS = frozenset({"language", "hidden", "from", "until", "groups"})
_LONG = frozenset({FieldKind.MARKDOWN, FieldKind.MULTILINE})


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
        facts=record_facts(facts, words),
        state=None if summary.version_state is None else STATES[summary.version_state],
        is_hidden=bool(summary.is_hidden),
    )


def record_facts(facts: Facts, words: WordsOf) -> tuple[FactView, ...]:
    """Those facts that are true of a record as it is, without any step."""
    return tuple(fact for fact in fact_views(facts, words) if fact.name in _RECORD_FACTS)


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
