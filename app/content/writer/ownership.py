"""Permission columns of a page somebody makes (cms.md section 4)."""

from __future__ import annotations

from typing import Any

from app.content.writer.observe import RowValues
from app.content.writer.work import Work
from app.policy.permissions import GROUP_BITS, OWNER_BITS

_COLUMNS = ("owner_id", "group_id", "owner_bits", "group_bits", "everybody_bits")


def new_page_owner(work: Work) -> dict[str, Any]:
    """A new page or copy belongs to who makes it and to their first main group; others see nothing."""
    return {
        "owner_id": work.actor.user_id,
        "group_id": work.actor.main_group_id,
        "owner_bits": OWNER_BITS.value,
        "group_bits": GROUP_BITS.value,
        "everybody_bits": 0,
    }


def same_owner(page: RowValues) -> dict[str, Any]:
    """The columns of ``page``: a translated page has those of its default page."""
    return {name: page[name] for name in _COLUMNS}
