"""Who stands behind the approvals of a run, derived when it is read and never stored (runtime.md section 9, I33). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final

NOBODY: Final = 0
"""The number that stands for no person; it never equals itself here."""


class Attribution(StrEnum):
    """How far approver and initiator are known to be two people."""

    SELF = "self"
    """The person who asked approved as well."""
    UNRESOLVED = "unresolved"
    """Whoever approved cannot be told."""
    INITIATOR_UNKNOWN = "initiator_unknown"
    """Whoever asked cannot be told, so nobody can say that it was somebody else."""
    SECOND_PERSON = "second_person"


_WORST_FIRST: Final = (
    Attribution.SELF,
    Attribution.UNRESOLVED,
    Attribution.INITIATOR_UNKNOWN,
    Attribution.SECOND_PERSON,
)


def attribute(initiator: int, approvers: Iterable[int], accounts: Collection[int]) -> Attribution | None:
    """The attribution of a run: the worst over its approvals; None without any, for declines carry none.

    ``approvers`` are the deciders of its approvals, ``accounts`` the numbers that belong to somebody. It never
    overstates: only two people who are both known count as a second person.
    """
    found = {_attribute_one(initiator, approver, accounts) for approver in approvers}
    return next((kind for kind in _WORST_FIRST if kind in found), None)


def _attribute_one(initiator: int, approver: int, accounts: Collection[int]) -> Attribution:
    if approver != NOBODY and approver == initiator:
        return Attribution.SELF
    if approver == NOBODY or approver not in accounts:
        return Attribution.UNRESOLVED
    if initiator == NOBODY or initiator not in accounts:
        return Attribution.INITIATOR_UNKNOWN
    return Attribution.SECOND_PERSON
