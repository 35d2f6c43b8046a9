"""What the pages about groups show, for administrators."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts.directory import list_members
from app.accounts.group_administration import FILE_PERMISSIONS, GRANTS
from app.accounts.group_consequences import GroupConsequences, Loss, plan_group_deletion
from app.accounts.values import GroupRecord, GroupValues, PersonEntry
from app.agent.configurations import list_configurations
from app.content.grantable import FIELDS, TABLES
from app.content.store import list_languages
from app.core.i18n import Text, ntext, text
from app.web.forms.people import FILE_WORDS, GRANT_WORDS
from app.web.rights_words import field_words, lost_words, table_words


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupView:
    """The page about a group, but for the form."""

    id: int
    title: str
    members: tuple[PersonEntry, ...]
    username: str = ""
    """What the field for a further member holds."""
    username_error: Text | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LossView:
    """What one person would lose."""

    user_id: int
    name: str
    lost: tuple[tuple[Text, tuple[Text | str, ...]], ...]
    remarks: tuple[Text, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupDeletionView:
    """What deleting a group would bring about."""

    id: int
    title: str
    people: Text
    losses: tuple[LossView, ...]
    further: Text | None
    included_by: tuple[str, ...]
    configurations: tuple[str, ...]
    """Configurations that name the group among those that may use them."""


def group_view(
    connection: Connection, group: GroupRecord, *, username: str = "", error: Text | None = None
) -> GroupView:
    """A group with the people in it."""
    return GroupView(
        id=group.id,
        title=group.values.title,
        members=list_members(connection, group.id),
        username=username,
        username_error=error,
    )


def offered_rights(connection: Connection, stored: GroupValues) -> dict[str, list[tuple[str, Text | str]]]:
    """For each field of the form what can be chosen; what is stored but unknown here stays on offer under its own name."""
    languages: list[tuple[str, Text | str]] = [
        (str(language.id), language.title) for language in list_languages(connection)
    ]
    known = {number for number, _ in languages}
    gone = [str(number) for number in stored.languages or () if str(number) not in known]
    return {
        "grants": [(name, GRANT_WORDS.get(name, name)) for name in _with(GRANTS, stored.grants)],
        "tables_select": [(name, table_words(name)) for name in _with(TABLES, stored.tables_select)],
        "tables_modify": [(name, table_words(name)) for name in _with(TABLES, stored.tables_modify)],
        "field_grants": [(name, field_words(name)) for name in _with(tuple(FIELDS), stored.field_grants)],
        "file_permissions": [
            (name, FILE_WORDS.get(name, name)) for name in _with(FILE_PERMISSIONS, stored.file_permissions)
        ],
        "languages": [*languages, *((number, text("Language no. %(number)s", number=number)) for number in gone)],
    }


def _with(known: tuple[str, ...], stored: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *stored)))


def group_deletion_view(connection: Connection, group: GroupRecord) -> GroupDeletionView:
    """Who would lose what, and where else the group is named."""
    found: GroupConsequences = plan_group_deletion(connection, group.id)
    naming = [one.name for one in list_configurations(connection) if group.id in one.allowed_groups]
    return GroupDeletionView(
        id=group.id,
        title=group.values.title,
        people=_people(found.people),
        losses=tuple(_loss(connection, loss) for loss in found.losses),
        further=ntext(
            "What %(n)s further person would lose is not listed.",
            "What %(n)s further people would lose is not listed.",
            found.further,
        )
        if found.further
        else None,
        included_by=found.included_by,
        configurations=tuple(naming),
    )


def _people(count: int) -> Text:
    if not count:
        return text("Nobody is in this group.")
    return ntext(
        "%(n)s person is in this group, directly or through another group.",
        "%(n)s people are in this group, directly or through another group.",
        count,
    )


def _loss(connection: Connection, loss: Loss) -> LossView:
    remarks: list[Text] = []
    if loss.loses_language_limit:
        remarks.append(text("Languages are not limited any more: every language is open."))
    if loss.main_group:
        remarks.append(text("New pages belong to the group “%(group)s” from then on.", group=loss.main_group))
    elif loss.main_group is not None:
        remarks.append(text("New pages belong to no group from then on."))
    return LossView(
        user_id=loss.user_id, name=loss.name, lost=lost_words(connection, loss.lost), remarks=tuple(remarks)
    )
