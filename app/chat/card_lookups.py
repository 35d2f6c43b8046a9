"""What the records on a card refer to: the files that decide about them, the titles of other records in their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy.engine import Connection

from app.agent.types import Preview, RecordPreview
from app.content import store
from app.content.reading import readable_rows
from app.content.schema import FILES, PAGES, REGISTRY
from app.content.types import ChangeAction
from app.core.i18n import Text, text
from app.policy.identity import Identity

Titles = Mapping[tuple[int, str, int], str]
"""(workspace, table, uid) -> title, of records the viewer may read there."""
FileUids = Mapping[tuple[str, str], int]
"""(table, name on the card) -> the file that decides about a record."""
PLACE = "pid"


def find_file_uids(connection: Connection, previews: Sequence[Preview]) -> FileUids:
    """The file of each record that is judged by one: named by a field, else read from its row, live or draft (CH-17)."""
    found: dict[tuple[str, str], int] = {}
    stored: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for record in _records(previews):
        judged_by = REGISTRY[record.table].judged_by_file
        if judged_by is None:
            continue
        if record.table == FILES.name:
            found[record.table, record.name] = record.live_uid
            continue
        named = next((change.new for change in record.fields if change.name == judged_by), None)
        if isinstance(named, int):
            found[record.table, record.name] = named
        elif record.uid:
            stored[record.table][record.uid] = record.name
    for table, names in stored.items():
        judged_by = REGISTRY[table].judged_by_file or ""
        for uid, row in store.find_stored_rows(connection, table, names).items():
            found.setdefault((table, names[uid]), int(row[judged_by]))
    return found


def find_titles(connection: Connection, identity: Identity, previews: Sequence[Preview]) -> Titles:
    """Titles of the pages records move between and of the records their fields name, as far as this viewer reads them."""
    wanted: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for record in _records(previews):
        for table, uid in _named_by(record):
            wanted[record.workspace_id, table].add(uid)
    found: dict[tuple[int, str, int], str] = {}
    for (workspace_id, table), uids in sorted(wanted.items()):
        rows = store.find_rows(connection, table, uids, workspace_id)
        shown = {row.uid for row in readable_rows(connection, identity, workspace_id, list(rows.values()))}
        found |= {
            (workspace_id, table, uid): store.title_of(table, row.values)
            for uid, row in rows.items()
            if row.uid in shown
        }
    return found


def move_words(record: RecordPreview, titles: Titles) -> Text | None:
    """From where to where a record moves; None for one that does not, and where the viewer may not see both pages."""
    if record.action is not ChangeAction.MOVED:
        return None
    place = next((change for change in record.fields if change.name == PLACE), None)
    if place is None:
        return text("Another place among its neighbours")
    old, new = (_page_title(record, uid, titles) for uid in (place.old, place.new))
    if old is None or new is None:
        return None
    if place.old == 0:
        return text("From the top level to “%(new)s”", new=new)
    if place.new == 0:
        return text("From “%(old)s” to the top level", old=old)
    return text("From “%(old)s” to “%(new)s”", old=old, new=new)


def _page_title(record: RecordPreview, uid: object, titles: Titles) -> Text | str | None:
    if not isinstance(uid, int):
        return None
    title = "" if uid == 0 else titles.get((record.workspace_id, PAGES.name, uid))
    return title if title is None else title or text("untitled")


def _records(previews: Sequence[Preview]) -> Iterable[RecordPreview]:
    return (record for preview in previews for record in preview.records)


def _named_by(record: RecordPreview) -> Iterator[tuple[str, int]]:
    traits = REGISTRY[record.table].field_by_name
    for change in record.fields:
        trait = traits.get(change.name)
        table = PAGES.name if change.name == PLACE else (trait.reference or "") if trait is not None else ""
        if table in REGISTRY:
            for value in (change.old, change.new):
                if isinstance(value, int) and value > 0:
                    yield table, value
