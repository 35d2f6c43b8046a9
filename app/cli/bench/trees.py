"""Generated page trees, made through the writer: a top page, middles with ten leaves each, five elements a page."""

from __future__ import annotations

from app.cli.bench.place import Place
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock, ids
from app.core.db import transaction
from app.policy.identity import LIVE, Identity
from app.seed.installation import seed_actor

ELEMENTS = 5
BODY = "Lorem ipsum dolor sit amet " * 12
_BRANCH = 11  # a middle and its ten leaves


def context_of(actor: Identity, workspace_id: int = LIVE) -> WriteContext:
    """A batch of ``actor`` outside any run."""
    return WriteContext(
        actor=actor,
        workspace_id=workspace_id,
        origin=Origin.PERSON,
        correlation=f"bench/{ids.new_uuid()}",
        now=clock.now(),
    )


def grow_tree(place: Place, pages: int) -> int:
    """A branch of exactly ``pages`` pages below the root page, owned by the group "Editorial"; returns its top page."""
    actor = seed_actor(main_group_id=place.site.people.groups["Editorial"])
    with transaction() as connection:
        batch = Batch(connection, context_of(actor))
        top = _page(batch, place.site.pages["root"], f"Top of {pages}")
        batch.finish()
    whole, rest = divmod(pages - 1, _BRANCH)
    first = _branch(actor, top, min(pages - 1, _BRANCH)) if pages > 1 else 0
    for _ in range(whole - 1):
        with transaction() as connection:
            batch = Batch(connection, context_of(actor))
            batch.copy_page(first, top, subpages=True)
            batch.finish()
    if whole and rest:
        _branch(actor, top, rest)
    return top


def _branch(actor: Identity, top: int, pages: int) -> int:
    with transaction() as connection:
        batch = Batch(connection, context_of(actor))
        middle = _page(batch, top, "Middle")
        for number in range(1, pages):
            _page(batch, middle, f"Leaf {number}")
        batch.finish()
    return middle


def _page(batch: Batch, parent: int, title: str) -> int:
    uid = batch.create("pages", parent, {"title": title}).uid
    for number in range(ELEMENTS):
        batch.create("content_elements", uid, {"header": f"Element {number}", "body": BODY})
    return uid
