"""Pages something can be moved or copied to, as a list to choose from, with a search that works without script."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.chat.changes import kind_words
from app.content import store
from app.content.access import page_bits_in
from app.content.errors import WriteRefused
from app.content.page_lists import open_tree
from app.content.reading import read_record, search_records
from app.content.schema import PAGES
from app.core.i18n import Text, text
from app.policy.identity import Identity
from app.policy.permissions import PageBit
from app.web.arguments import parse_number
from app.web.content_views import UNTITLED
from app.web.editing_values import Choice

MOST = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Targets:
    """Pages to choose from."""

    choices: tuple[Choice, ...]
    is_found: bool
    """Whether there is one besides the page that is chosen already."""
    more: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    title: str
    parent: str = ""
    level: int = 1


def target_pages(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    query: str,
    bit: PageBit,
    chosen: int,
    *,
    without: int = 0,
) -> Targets:
    """Pages on which the person has ``bit``: those whose title or number ``query`` is, or the upper part of the tree.

    ``chosen`` is always among them when the person has the bit there; the page ``without`` and what lies below it are
    left out of the tree. For pages administrators get the root too.
    """
    if query:
        hits = search_records(connection, identity, workspace_id, query, table=PAGES.name, language_id=0, limit=MOST)
        found = _numbered(connection, identity, workspace_id, query)
        found |= {hit.page_uid: _Found(title=hit.title, parent=hit.parent_title) for hit in hits.records}
        more = hits.more
    else:
        found, more = _tree(connection, identity, workspace_id, without)
    is_found = bool(found.keys() - {without})
    if chosen and chosen not in found:
        row = store.find_row(connection, PAGES.name, chosen, workspace_id)
        own = {} if row is None else {chosen: _Found(title=store.title_of(PAGES.name, row.values))}
        found = {**own, **found}
    found.pop(without, None)
    bits = page_bits_in(connection, identity, workspace_id, list(found))
    choices = tuple(
        Choice(
            value=str(uid),
            label=page.title or UNTITLED,
            hint=_hint(uid, page.parent),
            is_chosen=uid == chosen,
            level=page.level,
        )
        for uid, page in found.items()
        if bits[uid] & bit
    )
    root = Choice(value="0", label=text("At the root of the site"), is_chosen=chosen == 0)
    with_root = bit is PageBit.NEW and identity.is_admin
    return Targets(choices=(root, *choices) if with_root else choices, is_found=is_found, more=more)


def _numbered(connection: Connection, identity: Identity, workspace_id: int, query: str) -> dict[int, _Found]:
    """The page whose number was searched for, if the person may read it; not a translation."""
    uid = parse_number(query)
    try:
        row = read_record(connection, identity, workspace_id, PAGES.name, uid) if uid else None
    except WriteRefused:
        return {}
    return {} if row is None or row.row["language_id"] else {row.uid: _Found(title=row.title)}


def _tree(
    connection: Connection, identity: Identity, workspace_id: int, without: int
) -> tuple[dict[int, _Found], bool]:
    tree = open_tree(connection, identity, workspace_id, most=MOST)
    parents = {node.parent_uid for node in tree.pages}
    more = tree.more or any(node.has_children and node.uid not in parents for node in tree.pages)
    found: dict[int, _Found] = {}
    left_out = {without}
    for node in tree.pages:
        if node.uid in left_out or node.parent_uid in left_out - {0}:
            left_out.add(node.uid)
            continue
        found[node.uid] = _Found(title=node.title, level=node.level)
    return found, more


def _hint(uid: int, parent: str) -> Text:
    kind = kind_words(PAGES.label, uid)
    return text("%(kind)s, below “%(title)s”", kind=kind, title=parent) if parent else kind
