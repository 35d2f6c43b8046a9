"""Records and pages in words, for people who may read them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.chat.changes import kind_words
from app.chat.facts import Facts, WordsOf, fact_views
from app.chat.links import edit_url
from app.chat.view_models import FactView
from app.content import store
from app.content.reading import FoundRecord, RecordSummary
from app.content.schema import REGISTRY, FieldKind
from app.content.types import VersionState
from app.core.i18n import ptext, text
from app.policy.identity import Identity
from app.web.content_values import (
    RecordLinkView,
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


def groups_in(records: Iterable[RecordSummary]) -> frozenset[int]:
    """Groups the records are limited to."""
    return frozenset(group for record in records for group in group_ids(record.groups))
