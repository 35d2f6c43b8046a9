"""What a person may do and through which group, computed by the very functions that build their identity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import or_, select
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import store
from app.accounts.directory import find_person_row, inclusions, may_act
from app.accounts.identities import list_shares
from app.core.errors import NotFound
from app.policy.identity import FileMount, Identity

RightValue = str | int | bool | FileMount


class RightKind(StrEnum):
    """What a right is about; the values are those of ``Identity``."""

    GRANT = "grant"
    LIVE = "live"
    WORKSPACE = "workspace"
    SELECT = "select"
    MODIFY = "modify"
    FIELD = "field"
    LANGUAGE = "language"
    PAGE = "page"
    FILE = "file"
    FILE_PERMISSION = "file_permission"


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a right comes from: the person themselves (``group_id`` None), or a group, perhaps one that another includes."""

    group_id: int | None = None
    title: str = ""
    through: str = ""
    """Title of the group the person was put into that includes this one; empty when they were put into this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Right:
    """One right with everything it comes from."""

    kind: RightKind
    value: RightValue
    sources: tuple[Source, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RightsSummary:
    """What a person may do. The rights are those of groups and the person's own; administrators may do everything besides."""

    is_admin: bool
    may_act: bool
    main_group: str
    """Title of the group new pages of this person belong to; empty = none."""
    limits_languages: bool
    """Whether any group limits languages: then only the listed ones count, whatever other groups say (cms.md section 5)."""
    rights: tuple[Right, ...]
    unlimited: tuple[str, ...]
    """Titles of groups that set no limit of languages; they do not lift the limit of others."""
    switched_off: tuple[RightKind, ...]
    """Kinds of mounts the person does not take from groups."""

    def of(self, kind: RightKind) -> tuple[Right, ...]:
        """Rights of one kind."""
        return tuple(right for right in self.rights if right.kind is kind)


_Values = Callable[[Identity], Iterable[RightValue]]
_READERS: Mapping[RightKind, _Values] = {
    RightKind.GRANT: lambda share: sorted(share.grants),
    RightKind.LIVE: lambda share: [True] if share.may_work_live else [],
    RightKind.SELECT: lambda share: sorted(share.tables_select | share.tables_modify),
    RightKind.MODIFY: lambda share: sorted(share.tables_modify),
    RightKind.FIELD: lambda share: sorted(share.field_grants),
    RightKind.LANGUAGE: lambda share: sorted(share.languages or ()),
    RightKind.PAGE: lambda share: sorted(share.page_mounts),
    RightKind.FILE: lambda share: share.file_mounts,
    RightKind.FILE_PERMISSION: lambda share: sorted(share.file_permissions),
}


def summarize_rights(connection: Connection, user_id: int, *, without: int = 0) -> RightsSummary:
    """The rights of a person who is not deleted, as they are (or, while somebody may not act, as they would be).

    ``without`` is a group that is taken as deleted. Raises ``NotFound``.
    """
    user = find_person_row(connection, user_id)
    if user is None:
        raise NotFound(f"user {user_id}")
    groups = _groups(connection, user_id, without)
    own, shares = list_shares(user, groups)
    through = _ways_in(connection, groups)
    sources = [(Source(), own), *((_source(group, through), share) for group, share in shares)]
    found = {kind: _collect(sources, values) for kind, values in _READERS.items()}
    found[RightKind.WORKSPACE] = _workspaces(connection, user_id, [source for source, _ in sources])
    limiting = [share for _, share in sources if share.languages is not None]
    main = [group for group in groups if group["main_position"] is not None]
    switches = {RightKind.PAGE: user["uses_group_page_mounts"], RightKind.FILE: user["uses_group_file_mounts"]}
    return RightsSummary(
        is_admin=bool(user["is_admin"]),
        may_act=may_act(user),
        main_group=min(main, key=lambda group: (group["main_position"], group["id"]))["title"] if main else "",
        limits_languages=bool(limiting),
        rights=tuple(
            Right(kind=kind, value=value, sources=tuple(found[kind][value]))
            for kind in RightKind
            for value in found[kind]
        ),
        unlimited=tuple(source.title for source, share in sources[1:] if share.languages is None) if limiting else (),
        switched_off=tuple(kind for kind, used in switches.items() if not used),
    )


def _groups(connection: Connection, user_id: int, without: int) -> list[RowMapping]:
    groups = list(store.list_groups_of(connection, user_id))
    if without not in {group["id"] for group in groups}:
        return groups
    inside = inclusions(connection, {group["id"] for group in groups} - {without})
    own = [group["id"] for group in groups if group["main_position"] is not None and group["id"] != without]
    kept = reach(inside, own)
    return [group for group in groups if group["id"] in kept]


def reach(edges: Mapping[int, Sequence[int]], starts: Iterable[int]) -> tuple[int, ...]:
    """``starts`` and everything that ``edges`` lead to from there, each once, the nearer ones first."""
    found = dict.fromkeys(starts)
    waiting = list(found)
    for number in waiting:
        further = [other for other in edges.get(number, ()) if other not in found]
        found.update(dict.fromkeys(further))
        waiting += further
    return tuple(found)


def _collect(sources: Sequence[tuple[Source, Identity]], values: _Values) -> dict[RightValue, list[Source]]:
    found: dict[RightValue, list[Source]] = {}
    for source, share in sources:
        for value in values(share):
            found.setdefault(value, []).append(source)
    return found


def _source(group: RowMapping, through: Mapping[int, str]) -> Source:
    return Source(group_id=group["id"], title=group["title"], through=through.get(group["id"], ""))


def _ways_in(connection: Connection, groups: Sequence[RowMapping]) -> dict[int, str]:
    """For groups a person is in through others only: the title of the first own group that leads there."""
    titles = {group["id"]: group["title"] for group in groups}
    own = [group["id"] for group in groups if group["main_position"] is not None]
    if len(own) == len(titles):
        return {}
    inside = inclusions(connection, titles)
    found: dict[int, str] = {}
    for start in own:
        for group_id in reach(inside, [start]):
            if group_id not in own:
                found.setdefault(group_id, titles[start])
    return found


def _workspaces(connection: Connection, user_id: int, sources: Sequence[Source]) -> dict[RightValue, list[Source]]:
    by_group = {source.group_id: source for source in sources}
    member, workspace = store.WORKSPACE_MEMBER.c, store.WORKSPACE.c
    groups = [number for number in by_group if number is not None]
    query = (
        select(workspace.title, member.user_id, member.group_id)
        .join(store.WORKSPACE, workspace.id == member.workspace_id)
        .where(
            workspace.deleted.is_(False),
            or_(member.user_id == user_id, member.group_id.in_(groups or [-1])),
        )
        .order_by(workspace.title, workspace.id, member.id)
    )
    found: dict[RightValue, list[Source]] = {}
    for row in connection.execute(query):
        found.setdefault(row.title, []).append(by_group[None if row.user_id == user_id else row.group_id])
    return found
