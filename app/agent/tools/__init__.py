"""The tools of the assistant: one module per family, one class per tool, and the registry that offers them."""

from __future__ import annotations

from app.agent.tools.base import Tool
from app.agent.tools.copying import CopyPage
from app.agent.tools.creating import CreateContentElementDraft, CreatePageDraft
from app.agent.tools.deleting import DeleteRecord
from app.agent.tools.files import AttachFileToContentElement, SetFileAlternativeText
from app.agent.tools.moving import MoveContentElement, MovePage
from app.agent.tools.reading import GetPageTree, ListLanguages, ReadRecord, SearchRecords
from app.agent.tools.redirecting import CreateRedirect
from app.agent.tools.restoring import UndeleteRecord
from app.agent.tools.translating import CreateTranslationDraft
from app.agent.tools.updating import UpdateContentElement, UpdatePageMetadata
from app.agent.tools.visibility import HideRecord, PublishRecord


def built_in_tools() -> tuple[Tool, ...]:
    """Every tool the product brings, readers first."""
    return (
        GetPageTree(),
        ReadRecord(),
        SearchRecords(),
        ListLanguages(),
        UpdatePageMetadata(),
        UpdateContentElement(),
        CreatePageDraft(),
        CreateContentElementDraft(),
        CopyPage(),
        CreateTranslationDraft(),
        MovePage(),
        MoveContentElement(),
        CreateRedirect(),
        SetFileAlternativeText(),
        AttachFileToContentElement(),
        HideRecord(),
        PublishRecord(),
        DeleteRecord(),
        UndeleteRecord(),
    )
