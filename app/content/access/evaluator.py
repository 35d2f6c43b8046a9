"""The page check in Python; ``clauses`` holds its twin in SQL."""

from __future__ import annotations

from collections.abc import Collection

from app.content.access.rootlines import Place, Rootlines
from app.policy.identity import LIVE, Identity
from app.policy.permissions import PageBit, page_bits


def bits_on(
    identity: Identity, rootlines: Rootlines, workspace_id: int, uid: int, *, deleted_too: bool = False
) -> PageBit:
    """The bits a person has on a page in a workspace; none when the page is not shown to them there.

    Shown: the show bit on the page and on every page above it, up to and including a mount (cms.md section 4); without
    ``deleted_too`` neither the page nor a page above it may be deleted or marked so (CH-19 ignores that). A page that
    does not exist in the workspace has no bits, not even for administrators.
    """
    line = rootlines.line(workspace_id, uid)
    if not line.places:
        return PageBit(0)
    if not deleted_too and (not line.reaches_root or any(place.is_gone for place in line.places)):
        return PageBit(0)
    bits = page_bits(identity, line.places[0].rights)
    if identity.is_admin:
        return bits
    mounts = identity.mounts_in(workspace_id)
    for place in line.places:
        if not page_bits(identity, place.rights) & PageBit.SHOW:
            return PageBit(0)
        if place.uid in mounts:
            return bits
    return PageBit(0)


def shown_in(
    identity: Identity, rootlines: Rootlines, starts: Collection[tuple[int, int]], *, deleted_too: bool = False
) -> frozenset[tuple[int, int]]:
    """Which of ``starts`` (workspace, uid) have the show bit by ``bits_on``; each page on the ways up is judged once.

    The pages of a long list share most of their way, so that this costs what the places cost and not the ways (perf.md C2).
    """
    if identity.is_admin or not deleted_too:
        return frozenset(
            (workspace_id, uid)
            for workspace_id, uid in starts
            if bits_on(identity, rootlines, workspace_id, uid, deleted_too=deleted_too) & PageBit.SHOW
        )
    known: dict[tuple[int, int], bool] = {}
    return frozenset(start for start in starts if _is_below_mount(identity, rootlines, start, known))


def _is_below_mount(
    identity: Identity, rootlines: Rootlines, start: tuple[int, int], known: dict[tuple[int, int], bool]
) -> bool:
    """Whether every page from ``start`` up to a mount shows; notes the answer for all pages it passes."""
    passed: list[tuple[int, int]] = []
    workspace_id, uid = start
    mounts = identity.mounts_in(workspace_id)
    answer = False
    while uid > 0:
        key = (workspace_id, uid)
        if key in known:
            answer = known[key]
            break
        known[key] = False  # until it is decided: a circle has no mount
        passed.append(key)
        place = rootlines.places.get(key)
        if place is None or not _shows(identity, place, workspace_id):
            break
        if not place.is_alias and uid in mounts:
            answer = True
            break
        uid = place.above
    if answer:
        known.update(dict.fromkeys(passed, True))
    return answer


def _shows(identity: Identity, place: Place, workspace_id: int) -> bool:
    if place.workspace_id not in {LIVE, workspace_id}:
        return False
    return place.is_alias or bool(page_bits(identity, place.rights) & PageBit.SHOW)
