"""A WordPress export file into the live site: ``read_wxr``, ``read_items``, ``import_wordpress``, ``source_of``."""

from __future__ import annotations

from app.content.imports.wordpress.importing import import_wordpress, source_of
from app.content.imports.wordpress.tree import WordPressTree, read_items
from app.content.imports.wordpress.wxr import WxrExport, WxrItem, read_wxr

__all__ = ["WordPressTree", "WxrExport", "WxrItem", "import_wordpress", "read_items", "read_wxr", "source_of"]
