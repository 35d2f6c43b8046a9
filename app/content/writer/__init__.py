"""The one write path of the content store (design D5): everything that changes a record goes through ``Batch``."""

from __future__ import annotations

from app.content.writer.batch import Batch, raise_clock
from app.content.writer.copying import MAX_PAGES, CopyResult

__all__ = ["MAX_PAGES", "Batch", "CopyResult", "raise_clock"]
