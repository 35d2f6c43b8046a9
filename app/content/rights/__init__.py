"""What somebody may write (cms.md sections 4 to 6 and 14): each ``require_…`` returns the row it is about, or refuses.

"Missing" and "not yours" are one answer (RT-18). Administrators pass the rights but meet the hard limits: what does not
exist, and tables a draft cannot hold. Nothing is written here.
"""

from __future__ import annotations

from app.content.rights.places import require_copy, require_move, require_undelete
from app.content.rights.writing import (
    ROOT,
    require_copy_page,
    require_create,
    require_create_on_pages,
    require_delete,
    require_localize,
    require_localize_all,
    require_update,
)

__all__ = [
    "ROOT",
    "require_copy",
    "require_copy_page",
    "require_create",
    "require_create_on_pages",
    "require_delete",
    "require_localize",
    "require_localize_all",
    "require_move",
    "require_undelete",
    "require_update",
]
