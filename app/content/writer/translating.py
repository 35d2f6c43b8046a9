"""Makes translations as overlay rows: hidden, with the source text kept and marked "to be translated".

The assistant invents no text. Connected mode only: a translation always hangs on the default record (cms.md section
10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from app.content import rights
from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS, FILE_REFERENCES, PAGES, FieldKind, FieldTrait, TableTrait
from app.content.store import list_languages, title_of
from app.content.types import RecordRef, Row
from app.content.uids import reserve_uids
from app.content.writer import overlay
from app.content.writer.observe import RowValues, public_uid
from app.content.writer.ownership import same_owner
from app.content.writer.rows import duplicate, insert_rows
from app.content.writer.versions import demand_versioned
from app.content.writer.work import Work, trait_of
from app.core.i18n import text

# Content of the site, in the language of the translation, not words of the interface: therefore no catalogue entries.
MARKS: Mapping[str, str] = MappingProxyType(
    {
        "cs": "[k překladu]",
        "da": "[skal oversættes]",
        "de": "[zu übersetzen]",
        "en": "[to be translated]",
        "es": "[por traducir]",
        "fi": "[käännettävä]",
        "fr": "[à traduire]",
        "it": "[da tradurre]",
        "nb": "[skal oversettes]",
        "nl": "[te vertalen]",
        "pl": "[do przetłumaczenia]",
        "pt": "[a traduzir]",
        "sv": "[ska översättas]",
        "uk": "[до перекладу]",
    }
)


def mark_for(code: str) -> str:
    """The mark in the language with this code (``de``, ``de-AT``); English for languages without one."""
    return MARKS.get(code.replace("_", "-").split("-")[0].lower(), MARKS["en"])


@dataclass(frozen=True, kw_only=True, slots=True)
class _Plan:
    """What is translated: each record once, in the order they were named, and of pages the elements page by page."""

    trait: TableTrait
    named: Sequence[int]
    """The public uid of every record asked for."""
    language_id: int
    mark: str
    sources: Sequence[RowValues]
    elements: Sequence[RowValues] = ()


def localize(work: Work, table: str, uid: int, language_id: int, *, with_content: bool) -> RecordRef:
    """Make the translation of a record; for a page ``with_content`` also of each element on it that has none yet.

    References to files follow their owners. Raises ``WriteRefused``: ``not_found``, ``unknown_language``,
    ``not_translatable``, ``is_translation``, ``translation_exists``.
    """
    return _localize(work, _planned(work, table, [uid], language_id, with_content=with_content))[0]


def localize_all(
    work: Work, table: str, uids: Sequence[int], language_id: int, *, with_content: bool
) -> list[RecordRef]:
    """Translate many records of a table as ``localize`` does one after the other; the translations in the order of
    ``uids``, a record named twice being translated once.

    The statements do not grow with the records, one per 900 numbers aside (W6). Nothing is written when one of them
    cannot be translated; the refusal is that of the first.
    """
    if not uids:
        return []
    try:
        plan = _planned(work, table, uids, language_id, with_content=with_content)
    except WriteRefused:
        for uid in uids:  # steps are taken for all records at once: the first refusal may not be the first record's
            _planned(work, table, [uid], language_id, with_content=with_content)
        raise
    return _localize(work, plan)


def _planned(work: Work, table: str, uids: Sequence[int], language_id: int, *, with_content: bool) -> _Plan:
    """Check everything and read what is to be translated; writes nothing."""
    trait = trait_of(table)
    args = (work.connection, work.actor, work.workspace_id)
    rows = rights.require_localize_all(*args, table, uids, language_id)
    if work.in_draft:
        demand_versioned(trait)
    mark = _check(work, trait, rows, language_id)
    elements = _elements(work, rows, language_id) if with_content and trait is PAGES else []
    return _Plan(
        trait=trait,
        named=[row.live_uid for row in rows],
        language_id=language_id,
        mark=mark,
        sources=list({row.live_uid: row.values for row in rows}.values()),
        elements=elements,
    )


def _localize(work: Work, plan: _Plan) -> list[RecordRef]:
    made = _translate(work, plan, plan.trait, plan.sources)
    owners = {(plan.trait.name, old): new for old, new in made.items()}
    if plan.elements:
        new_elements = _translate(work, plan, CONTENT_ELEMENTS, plan.elements)
        owners |= {(CONTENT_ELEMENTS.name, old): new for old, new in new_elements.items()}
    _translate_references(work, plan, owners)
    return [RecordRef(table=plan.trait.name, uid=made[uid]) for uid in plan.named]


def _check(work: Work, trait: TableTrait, rows: Sequence[Row], language_id: int) -> str:
    """The mark to use; raises when one of the records cannot get a translation in this language."""
    for row in rows:
        if not trait.has_language or row["language_id"] < 0:
            raise WriteRefused(
                "not_translatable", text("This record belongs to no single language and cannot be translated.")
            )
        if row["translation_parent"] or row["language_id"]:
            raise WriteRefused(
                "is_translation", text("This record is a translation. Translate the record in the default language.")
            )
    codes = {language.id: language.code for language in list_languages(work.connection)}
    if language_id <= 0 or language_id not in codes:
        raise WriteRefused("unknown_language", text("The site does not have that language."))
    parents = [row.live_uid for row in rows]
    existing = {
        int(translation["translation_parent"]): translation
        for translation in reversed(_translations(work, trait, parents, language_id))
    }
    for parent in parents:
        if parent in existing:
            raise WriteRefused(
                "translation_exists",
                text(
                    "There is a translation in this language already: “%(title)s” (%(uid)s).",
                    title=title_of(trait.name, existing[parent]),
                    uid=str(public_uid(existing[parent])),
                ),
            )
    return mark_for(codes[language_id])


def _translations(work: Work, trait: TableTrait, parents: Sequence[int], language_id: int) -> list[dict[str, Any]]:
    return overlay.rows_by(
        work.connection, trait, work.workspace_id, "translation_parent", parents, language_id=language_id
    )


def _elements(work: Work, pages: Sequence[Row], language_id: int) -> list[dict[str, Any]]:
    """Default-language elements of the pages without a translation in this language, page by page; the person must
    be able to write them.
    """
    order = {page.live_uid: number for number, page in enumerate(pages)}
    args = (work.connection, work.actor, work.workspace_id)
    rights.require_create_on_pages(*args, CONTENT_ELEMENTS.name, list(order), language_id)
    found = overlay.rows_by(
        work.connection, CONTENT_ELEMENTS, work.workspace_id, "pid", order, language_id=0, translation_parent=0
    )
    translations = _translations(work, CONTENT_ELEMENTS, [public_uid(row) for row in found], language_id)
    done = {row["translation_parent"] for row in translations}
    return sorted((row for row in found if public_uid(row) not in done), key=lambda row: order[row["pid"]])


def _translate(
    work: Work,
    plan: _Plan,
    trait: TableTrait,
    sources: Sequence[RowValues],
    owners: Mapping[tuple[str, int], int] | None = None,
) -> dict[int, int]:
    """Write the overlay rows; the new uid of each source by the source's public uid."""
    uids = dict(zip(map(public_uid, sources), reserve_uids(work.connection, trait.table, len(sources)), strict=True))
    rows = []
    for source in sources:
        parent = public_uid(source)
        values = {
            **_marked(trait, source, plan.mark),
            "uid": uids[parent],
            "language_id": plan.language_id,
            "translation_parent": parent,
            "translation_source": parent,
        }
        if trait.can_hide:
            values["hidden"] = source["hidden"] if owners else True
        if owners:
            values["owner_uid"] = owners[source["owner_table"], source["owner_uid"]]
        if trait is PAGES:
            values |= same_owner(source)
        rows.append(duplicate(work, trait, source, values))
    work.ask_before_inserting(trait, rows)
    insert_rows(work, trait, rows)
    return uids


def _translate_references(work: Work, plan: _Plan, owners: Mapping[tuple[str, int], int]) -> None:
    """References to files of the translated records, for people who may write them, in the order of their records."""
    if not work.actor.may_modify(FILE_REFERENCES.name):
        return
    sources = []
    for table in sorted({table for table, _ in owners}):
        uids = [uid for owner_table, uid in owners if owner_table == table]
        default = {"owner_table": table, "language_id": 0, "translation_parent": 0}
        sources += overlay.rows_by(work.connection, FILE_REFERENCES, work.workspace_id, "owner_uid", uids, **default)
    if sources:
        order = _order_of_owners(plan)
        sources.sort(key=lambda row: order[row["owner_table"], row["owner_uid"]])
        _translate(work, plan, FILE_REFERENCES, sources, owners)


def _order_of_owners(plan: _Plan) -> dict[tuple[str, int], int]:
    """The place of the record named by the caller to which each owner belongs: elements count with their page."""
    order = {public_uid(source): number for number, source in enumerate(plan.sources)}
    found = {(plan.trait.name, uid): number for uid, number in order.items()}
    found |= {(CONTENT_ELEMENTS.name, public_uid(row)): order[row["pid"]] for row in plan.elements}
    return found


def _marked(trait: TableTrait, source: RowValues, mark: str) -> dict[str, str]:
    """Lines with the mark before the source text; without any line the first text is marked, so that nothing looks
    done.
    """
    fields = [field for field in trait.fields if field.marked_on_translation and source[field.name]]
    lines = [field for field in fields if field.kind is FieldKind.LINE]
    return dict(_with_mark(lines or fields[:1], source, mark))


def _with_mark(fields: Iterable[FieldTrait], source: RowValues, mark: str) -> Iterable[tuple[str, str]]:
    for field in fields:
        words = f"{mark} {source[field.name]}"
        if len(words) <= field.max_length:  # text is never cut for a mark
            yield field.name, words
