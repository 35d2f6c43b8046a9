"""The page check in Python; ``clauses`` holds its twin in SQL."""

from __future__ import annotations

from app.content.access.rootlines import Rootlines
from app.policy.identity import Identity
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
