"""Makes translations as overlay rows: hidden, with the source text kept and marked "to be translated".

The assistant invents no text. Connected mode only: a translation always hangs on the default record (cms.md section
10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from app.content import rights
from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS, FILE_REFERENCES, PAGES, FieldKind, FieldTrait, TableTrait
from app.content.store import list_languages, list_translations, title_of
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


def localize(work: Work, table: str, uid: int, language_id: int, *, with_content: bool) -> RecordRef:
    """Make the translation of a record; for a page ``with_content`` also of each element on it that has none yet.

    References to files follow their owners. Raises ``WriteRefused``: ``not_found``, ``unknown_language``,
    ``not_translatable``, ``is_translation``, ``translation_exists``.
    """
    trait = trait_of(table)
    row = rights.require_localize(work.connection, work.actor, work.workspace_id, table, uid, language_id)
    if work.in_draft:
        demand_versioned(trait)
    mark = _check(work, trait, row, language_id)
    elements = _elements(work, row, language_id) if with_content and trait is PAGES else []
    made = _translate(work, trait, [row.values], language_id, mark)
    owners = {(trait.name, old): new for old, new in made.items()}
    if elements:
        new_elements = _translate(work, CONTENT_ELEMENTS, elements, language_id, mark)
        owners |= {(CONTENT_ELEMENTS.name, old): new for old, new in new_elements.items()}
    _translate_references(work, owners, language_id, mark)
    return RecordRef(table=table, uid=made[row.live_uid])


def _check(work: Work, trait: TableTrait, row: Row, language_id: int) -> str:
    """The mark to use; raises when the record cannot get a translation in this language."""
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
    for translation in list_translations(work.connection, trait.name, row.live_uid, work.workspace_id):
        if translation["language_id"] == language_id:
            title = title_of(trait.name, translation.values)
            raise WriteRefused(
                "translation_exists",
                text(
                    "There is a translation in this language already: “%(title)s” (%(uid)s).",
                    title=title,
                    uid=str(translation.live_uid),
                ),
            )
    return mark_for(codes[language_id])


def _elements(work: Work, page: Row, language_id: int) -> list[dict[str, Any]]:
    """Default-language elements of the page without a translation in this language; the person must be able to
    write them.
    """
    args = (work.connection, work.actor, work.workspace_id)
    rights.require_create(*args, CONTENT_ELEMENTS.name, page.live_uid, language_id)
    found = overlay.rows_by(
        work.connection,
        CONTENT_ELEMENTS,
        work.workspace_id,
        "pid",
        [page.live_uid],
        language_id=0,
        translation_parent=0,
    )
    parents = [public_uid(row) for row in found]
    translations = overlay.rows_by(
        work.connection, CONTENT_ELEMENTS, work.workspace_id, "translation_parent", parents, language_id=language_id
    )
    done = {row["translation_parent"] for row in translations}
    return [row for row in found if public_uid(row) not in done]


def _translate(
    work: Work,
    trait: TableTrait,
    sources: Sequence[RowValues],
    language_id: int,
    mark: str,
    owners: Mapping[tuple[str, int], int] | None = None,
) -> dict[int, int]:
    """Write the overlay rows; the new uid of each source by the source's public uid."""
    uids = dict(zip(map(public_uid, sources), reserve_uids(work.connection, trait.table, len(sources)), strict=True))
    rows = []
    for source in sources:
        parent = public_uid(source)
        values = {
            **_marked(trait, source, mark),
            "uid": uids[parent],
            "language_id": language_id,
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


def _translate_references(work: Work, owners: Mapping[tuple[str, int], int], language_id: int, mark: str) -> None:
    """References to files of the translated records, for people who may write them."""
    if not work.actor.may_modify(FILE_REFERENCES.name):
        return
    sources = []
    for table in sorted({table for table, _ in owners}):
        uids = [uid for owner_table, uid in owners if owner_table == table]
        default = {"owner_table": table, "language_id": 0, "translation_parent": 0}
        sources += overlay.rows_by(work.connection, FILE_REFERENCES, work.workspace_id, "owner_uid", uids, **default)
    if sources:
        _translate(work, FILE_REFERENCES, sources, language_id, mark, owners)


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
