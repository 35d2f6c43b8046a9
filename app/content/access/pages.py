"""The page check asked by uid: which pages are shown, what may be done with them, and the way up to them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile

from sqlalchemy.engine import Connection

from app.content.access.evaluator import bits_on
from app.content.access.rootlines import Line, read_rootlines
from app.policy.identity import Identity
from app.policy.permissions import PageBit


def page_bits_in(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    page_uids: Collection[int],
    *,
    deleted_too: bool = False,
) -> dict[int, PageBit]:
    """The bits a person has on pages as ``workspace_id`` sees them, by the uids asked for; one statement per 900.

    No bits: missing, deleted, not shown inside a mount, or a workspace the person may not use (see ``bits_on``). A
    translation has the bits of its page.
    """
    if not identity.may_use_workspace(workspace_id):
        return dict.fromkeys(page_uids, PageBit(0))
    rootlines = read_rootlines(connection, [(workspace_id, uid) for uid in page_uids])
    return {uid: bits_on(identity, rootlines, workspace_id, uid, deleted_too=deleted_too) for uid in page_uids}


def shown_pages(
    connection: Connection, identity: Identity, workspace_id: int, page_uids: Collection[int]
) -> frozenset[int]:
    """Which of ``page_uids`` are shown to a person in a workspace (show bits up to a mount, nothing deleted)."""
    bits = page_bits_in(connection, identity, workspace_id, page_uids)
    return frozenset(uid for uid, found in bits.items() if found & PageBit.SHOW)


def page_lines(
    connection: Connection, identity: Identity, workspace_id: int, page_uids: Collection[int]
) -> dict[int, tuple[int, ...]]:
    """For each shown page its uid and those of the pages above it as far as they are shown, nearest first."""
    if not identity.may_use_workspace(workspace_id):
        return {}
    rootlines = read_rootlines(connection, [(workspace_id, uid) for uid in page_uids])

    def is_shown(uid: int) -> bool:
        return bool(bits_on(identity, rootlines, workspace_id, uid) & PageBit.SHOW)

    def shown_part(line: Line) -> tuple[int, ...]:
        return tuple(takewhile(is_shown, (place.uid for place in line.places)))

    lines = {uid: shown_part(rootlines.line(workspace_id, uid)) for uid in page_uids}
    return {uid: line for uid, line in lines.items() if line}


def page_ancestors(connection: Connection, workspace_id: int, page_uids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """For each page its uid and those of all pages above it, nearest first, whoever may see them.

    For rules, which compare numbers and show none; nothing of this may reach a person.
    """
    rootlines = read_rootlines(connection, [(workspace_id, uid) for uid in page_uids])
    return {uid: tuple(place.uid for place in rootlines.line(workspace_id, uid).places) for uid in page_uids}
