"""What commands do, in words: consequences before, results after."""

from __future__ import annotations

from collections.abc import Mapping

from app.content.consequences import TakenAlong
from app.content.reading import RecordView
from app.content.schema import PAGES, REGISTRY, counted
from app.content.types import ChangeSet, VersionState
from app.core.i18n import Text, ntext, text
from app.policy.identity import LIVE, Identity
from app.web.content_views import UNTITLED

SEEN_ONLY = text("Only records you may read are counted.")
STAYS = text("Live stays as it is until the workspace is published.")
SWITCHED = text(
    "You stand in another workspace than when you opened this page. Nothing was changed. Check what is said here and send it again."
)


def place_of_write(workspace_id: int, identity: Identity) -> Text:
    """Where the command writes."""
    if workspace_id == LIVE:
        return text("Writes live.")
    title = identity.workspaces.get(workspace_id, "")
    return text("Writes to the draft workspace “%(title)s”.", title=title)


def deletion_words(found: RecordView, along: TakenAlong, workspace_id: int) -> tuple[Text, ...]:
    """What a deletion does and takes along."""
    is_new = found.version_state is VersionState.NEW
    if workspace_id == LIVE:
        first = _live_deletion(found)
    elif is_new:
        first = (text("The record exists in this draft workspace only. It is removed for good."),)
    else:
        first = (text("The record is marked to be deleted in this draft workspace."), STAYS)
    goes = text("Goes along: %(count)s.")
    if workspace_id != LIVE and not is_new:
        goes = text("Goes along when the workspace is published: %(count)s.")
    return (*first, *_translations(along.translations), *_counts(along.records, goes))


def _live_deletion(found: RecordView) -> tuple[Text, ...]:
    if not REGISTRY[found.table].soft_delete:
        return (text("The record is removed for good."),)
    words = (text("The record is deleted live. Drafts of it in workspaces are discarded."),)
    if found.page_uid and not (found.table == PAGES.name and found.row["pid"] == 0):
        return (
            *words,
            text("It can be restored under “Deleted records” of the page above it, without its translations."),
        )
    return words


def _translations(count: int) -> tuple[Text, ...]:
    if not count:
        return ()
    return (ntext("%(n)s translation goes along.", "%(n)s translations go along.", count),)


def _counts(records: Mapping[str, int], sentence: Text) -> tuple[Text, ...]:
    counts = tuple(sentence.with_params(count=counted(table, count)) for table, count in records.items())
    return (*counts, SEEN_ONLY) if counts else ()


def visibility_words(found: RecordView, workspace_id: int, *, hides: bool) -> tuple[Text, ...]:
    """What hiding or showing does."""
    first = text("The record gets the mark “hidden”.") if hides else text("The mark “hidden” is taken from the record.")
    kept = (text("Time limits and user groups stay as they are."),)
    below = (text("Pages below keep their own mark."),) if found.table == PAGES.name else ()
    return (first, *below, *kept, *(() if workspace_id == LIVE else (STAYS,)))


def copy_words(along: TakenAlong, table: str, workspace_id: int) -> tuple[Text, ...]:
    """What a copy makes."""
    goes = text("With the pages below it this is copied: %(count)s.")
    is_page = table == PAGES.name
    return (
        text("The copy is hidden, and its title gets an addition like “(copy 1)”.")
        if is_page
        else text("The copy is the last one on the page. Translations follow in the languages the page has."),
        text("Records and languages you may not write are left out."),
        *_counts(along.records, goes),
        *(
            ()
            if workspace_id == LIVE
            else (text("The copy exists in this draft workspace only until it is published."),)
        ),
    )


def translation_words(workspace_id: int) -> tuple[Text, ...]:
    """What making a translation makes."""
    return (
        text("The translation is hidden. It holds the texts of the original, marked “to be translated”."),
        *(() if workspace_id == LIVE else (STAYS,)),
    )


def move_words(along: TakenAlong, table: str, workspace_id: int) -> tuple[Text, ...]:
    """What a move takes along."""
    below = _counts(along.records, text("Goes along: %(count)s.")) if table == PAGES.name else ()
    return (*_translations(along.translations), *below, *(() if workspace_id == LIVE else (STAYS,)))


DONE: Mapping[str, tuple[Text, Text]] = {
    "delete": (
        text("“%(title)s” is deleted live."),
        text("“%(title)s” is marked to be deleted in the draft workspace. Live stays as it is until it is published."),
    ),
    "hide": (text("“%(title)s” is hidden live."), text("“%(title)s” is hidden in the draft workspace.")),
    "show": (text("“%(title)s” is not hidden live."), text("“%(title)s” is not hidden in the draft workspace.")),
    "move": (text("“%(title)s” is moved live."), text("“%(title)s” is moved in the draft workspace.")),
    "copy": (
        text("The copy “%(title)s” is created live."),
        text("The copy “%(title)s” is created in the draft workspace."),
    ),
    "translate": (
        text("The translation “%(title)s” is created live."),
        text("The translation “%(title)s” is created in the draft workspace."),
    ),
    "restore": (text("“%(title)s” is restored live."), text("“%(title)s” is restored live.")),
}
REMOVED = text("“%(title)s” is removed from the draft workspace. Live never had it.")
UNCHANGED = text("Nothing was changed: it is so already.")
AFTERWARDS = text("The command was carried out for “%(title)s”, but an extension failed afterwards. Check the record.")


def done_notice(
    command: str, title: str, workspace_id: int, changes: ChangeSet, *, was_new: bool = False
) -> tuple[Text, str]:
    """What a command did, and the kind of the notice; ``was_new``: the record existed in the draft only."""
    words = title or UNTITLED
    if not changes:
        return UNCHANGED, "info"
    if changes.failed_after_write:
        return AFTERWARDS.with_params(title=words), "warn"
    live, draft = DONE[command]
    if command == "delete" and was_new:
        draft = REMOVED
    return (live if workspace_id == LIVE else draft).with_params(title=words), "ok"
