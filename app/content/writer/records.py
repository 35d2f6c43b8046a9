"""Creates and changes single records."""

from __future__ import annotations

from app.content import access, rights
from app.content.errors import WriteRefused, not_found
from app.content.hooks import Values
from app.content.schema import FILE_METADATA, PAGES, REGISTRY, TableTrait
from app.content.sorting import last_place, place_after
from app.content.store import find_row, list_languages, list_translations
from app.content.types import FieldValue, RecordRef, Row
from app.content.writer.observe import RowValues, page_of
from app.content.writer.ownership import new_page_owner
from app.content.writer.rows import IMPORT_MARKS, change_row, insert_rows, new_row
from app.content.writer.values import normalise
from app.content.writer.versions import NOTHING, demand_versioned, held_by_draft, write_values
from app.content.writer.work import Work, trait_of
from app.core.i18n import text

ALL_LANGUAGES = -1


def create_record(
    work: Work,
    table: str,
    page_uid: int,
    values: Values,
    *,
    language_id: int = 0,
    after_uid: int | None = None,
    hidden: bool = False,
) -> RecordRef:
    """Make a record on (for pages: below) ``page_uid``, 0 being the root: as last one there, or right after
    ``after_uid``.

    Translations are made by ``localize``; a language given here makes a record of its own in that language.
    """
    trait = trait_of(table)
    page = rights.require_create(work.connection, work.actor, work.workspace_id, table, page_uid, language_id)
    if work.in_draft:
        demand_versioned(trait)
    asked = {**values, "hidden": True} if hidden and trait.can_hide else values
    plain = normalise(work.context, trait, asked, creating=True)
    _check_language(work, trait, language_id)
    row = new_row(work, trait, {"pid": _page_for(trait, page, page_uid)})
    if trait is PAGES:
        row.update(new_page_owner(work))
    if trait.has_language:
        row["language_id"] = language_id
    row.update(plain)
    _check_file(work, trait, row)
    _check_owner(work, row)
    if trait.has_sorting:
        row["sorting"] = _place(work, trait, row["pid"], after_uid)
    work.ask_before(trait, 0, plain)
    insert_rows(work, trait, [row])
    return RecordRef(table=table, uid=row["uid"])


def update_record(work: Work, table: str, uid: int, values: Values) -> RecordRef | None:
    """Change fields of a record and carry those kept equal across languages to its translations.

    None when nothing differs: then nothing is written and no version row is made (CM-05).
    """
    trait = trait_of(table)
    row = rights.require_update(work.connection, work.actor, work.workspace_id, table, uid)
    is_translation = trait.has_language and row["translation_parent"] > 0
    plain = normalise(work.context, trait, values, creating=False, is_translation=is_translation)
    changes = _differences(row.values, plain)
    if not changes.keys() - IMPORT_MARKS.keys():
        _note_import(work, trait, row, changes)
        return None
    if "file_uid" in changes:
        _check_file(work, trait, {**row.values, **changes})
    work.ask_before(trait, row.live_uid, changes)
    after = write_values(work, trait, row.values, changes)
    _carry_to_translations(work, trait, row, changes)
    return RecordRef(table=table, uid=after["uid"])


def set_hidden(work: Work, table: str, uid: int, hidden: bool) -> RecordRef | None:
    """Hide or show one record; None when it is so already. Raises ``WriteRefused("cannot_hide")`` for tables
    without that.
    """
    trait = trait_of(table)
    if not trait.can_hide:
        raise WriteRefused("cannot_hide", text("Records of the kind “%(kind)s” cannot be hidden.", kind=trait.label))
    return update_record(work, table, uid, {"hidden": hidden})


def _differences(row: RowValues, plain: Values) -> dict[str, FieldValue]:
    return {name: value for name, value in plain.items() if row[name] != value}


def _note_import(work: Work, trait: TableTrait, row: Row, changes: Values) -> None:
    """Marks of an import are no change of the record: kept where a row can take them without a version row being
    made.
    """
    if changes and (not work.in_draft or (trait.versioned and held_by_draft(work, row.values) is not NOTHING)):
        change_row(work, trait, row.values, changes)


def _carry_to_translations(work: Work, trait: TableTrait, row: Row, changes: Values) -> None:
    same = {name: value for name, value in changes.items() if _is_same_in_translations(trait, name)}
    if not same or row["translation_parent"]:
        return
    for translation in list_translations(work.connection, trait.name, row.live_uid, work.workspace_id):
        differing = _differences(translation.values, same)
        if differing:
            write_values(work, trait, translation.values, differing)


def _is_same_in_translations(trait: TableTrait, name: str) -> bool:
    field = trait.field_by_name.get(name)
    return field is not None and field.same_in_translations


def _page_for(trait: TableTrait, page: Row, page_uid: int) -> int:
    """Where the row lies: translated pages hold nothing, their default page does; records of the root lie at 0."""
    if not page_uid or not trait.on_pages:
        return 0
    return int(page.values.get("translation_parent") or page.live_uid)


def _check_language(work: Work, trait: TableTrait, language_id: int) -> None:
    if language_id == 0:
        return
    known = {language.id for language in list_languages(work.connection)} | {ALL_LANGUAGES}
    if not trait.has_language or language_id not in known:
        raise WriteRefused("unknown_language", text("This kind of record does not exist in that language."))
    if trait is PAGES:
        raise WriteRefused(
            "translation_needed", text("A page in another language is a translation. Translate the page instead.")
        )


def _place(work: Work, trait: TableTrait, page_uid: int, after_uid: int | None) -> str:
    if after_uid is None:
        return last_place(work.connection, trait, work.workspace_id, page_uid)
    neighbour = find_row(work.connection, trait.name, after_uid, work.workspace_id)
    if neighbour is None or neighbour["pid"] != page_uid:
        raise not_found()
    return place_after(work.connection, trait, work.workspace_id, page_uid, neighbour["sorting"])


def _check_file(work: Work, trait: TableTrait, row: Values) -> None:
    """Attaching a file needs read permission on that very file, describing it a mount with write access (cms.md
    section 14).
    """
    if trait.judged_by_file != "file_uid":
        return
    allowed = access.files_writable if trait is FILE_METADATA else access.files_readable
    if row["file_uid"] not in allowed(work.connection, work.actor, [row["file_uid"]]):
        raise not_found()


def _check_owner(work: Work, row: Values) -> None:
    """What a file is attached to exists in the workspace and lies on (or is) the page of the reference."""
    if "owner_uid" not in row:
        return
    trait = REGISTRY.get(row["owner_table"])
    owner = find_row(work.connection, row["owner_table"], row["owner_uid"], work.workspace_id)
    if trait is None or owner is None or owner.live_uid != row["owner_uid"]:
        raise not_found()
    if page_of(trait, owner.values) != row["pid"]:
        raise not_found()
