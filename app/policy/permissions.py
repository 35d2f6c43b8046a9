"""Page permission bits and the pure truths about them (cms.md section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

from app.policy.identity import Identity


class PageBit(IntFlag):
    """What somebody may do with a page; content means every record on the page that is not a page."""

    SHOW = 1
    EDIT = 2
    DELETE = 4
    NEW = 8
    CONTENT = 16


ALL_BITS = PageBit(31)
OWNER_BITS = ALL_BITS
GROUP_BITS = PageBit(27)
"""New pages give their group everything but deleting."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRights:
    """The permission columns of a page."""

    owner_id: int
    group_id: int
    owner_bits: int
    group_bits: int
    everybody_bits: int


def page_bits(identity: Identity, rights: PageRights) -> PageBit:
    """The bits a person has on a page: the OR of the parts that match; id 0 matches nobody, no group is no hindrance."""
    if identity.is_admin:
        return ALL_BITS
    bits = rights.everybody_bits
    if rights.owner_id and rights.owner_id == identity.user_id:
        bits |= rights.owner_bits
    if rights.group_id and rights.group_id in identity.group_ids:
        bits |= rights.group_bits
    return PageBit(bits & ALL_BITS)
