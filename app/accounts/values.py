"""The frozen values of people and groups: what administrators set, and what lists and pages show."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from app.policy.identity import FileMount

PART = 50
"""People on one page of the list."""
ACTIVE, DISABLED, ADMINISTRATORS = "active", "disabled", "administrators"
STATES = (ACTIVE, DISABLED, ADMINISTRATORS)
"""What the list can be filtered by."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonValues:
    """What an administrator sets of a person. Times in seconds, 0 = no limit; ``group_ids`` in order, the first owns new pages."""

    username: str
    name: str = ""
    email: str = ""
    language: str = "en"
    is_admin: bool = False
    disabled: bool = False
    starttime: int = 0
    endtime: int = 0
    uses_group_page_mounts: bool = True
    uses_group_file_mounts: bool = True
    page_mounts: tuple[int, ...] = ()
    file_mounts: tuple[FileMount, ...] = ()
    group_ids: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupValues:
    """What an administrator sets of a group. ``languages`` None = no limit; ``includes`` are the groups inside it."""

    title: str
    grants: tuple[str, ...] = ()
    tables_select: tuple[str, ...] = ()
    tables_modify: tuple[str, ...] = ()
    field_grants: tuple[str, ...] = ()
    languages: tuple[int, ...] | None = None
    page_mounts: tuple[int, ...] = ()
    file_mounts: tuple[FileMount, ...] = ()
    file_permissions: tuple[str, ...] = ()
    live: bool = False
    includes: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonRecord:
    """A person with what the page about them shows."""

    id: int
    values: PersonValues
    has_password: bool
    may_act: bool
    created_at: int

    @property
    def shown_name(self) -> str:
        """What others read."""
        return self.values.name or self.values.username

    @property
    def version(self) -> str:
        """Names this state: a form that was filled from another one is refused."""
        return _mark(self.values)


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupRecord:
    """A group with what the page about it shows."""

    id: int
    values: GroupValues

    @property
    def version(self) -> str:
        """Names this state: a form that was filled from another one is refused."""
        return _mark(self.values)


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonEntry:
    """A person in a list; ``groups`` are titles of the groups they were put into, in order."""

    id: int
    username: str
    name: str
    is_admin: bool
    disabled: bool
    may_act: bool
    has_password: bool
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PeoplePart:
    """One part of the list of people; parts count from 1."""

    people: tuple[PersonEntry, ...]
    count: int
    part: int

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return max(1, -(-self.count // PART))


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupEntry:
    """A group in the list."""

    id: int
    title: str
    members: int
    """People who were put into it; those who are in it through other groups are not counted."""
    includes: tuple[str, ...]


def _mark(values: PersonValues | GroupValues) -> str:
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:16]
