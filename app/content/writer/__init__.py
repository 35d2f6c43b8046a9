"""The one write path of the content store (design D5): everything that changes a record goes through ``Batch``.

What a draft holds is published, discarded and sent on as a whole or in part by functions of their own, each a batch.
"""

from __future__ import annotations

from app.content.types import Stage
from app.content.writer.batch import Batch, raise_clock
from app.content.writer.copying import MAX_PAGES, CopyResult
from app.content.writer.discarding import discard_records, discard_workspace
from app.content.writer.planning import Conflict, PublishPlan, plan_publish
from app.content.writer.publishing import PublishOutcome, publish_records
from app.content.writer.stages import set_stage

__all__ = [
    "MAX_PAGES",
    "Batch",
    "Conflict",
    "CopyResult",
    "PublishOutcome",
    "PublishPlan",
    "Stage",
    "discard_records",
    "discard_workspace",
    "plan_publish",
    "publish_records",
    "raise_clock",
    "set_stage",
]
