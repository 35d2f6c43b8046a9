"""The page tree and the page module: read here, written in conversations."""

from __future__ import annotations

from flask import Blueprint, Response

from app.content.reading import page_path, page_tree, read_record, search_records
from app.web.arguments import search_words
from app.web.content_views import hit_views, page_module, tree_views
from app.web.current import current
from app.web.guards import requires_sign_in, standing_or_404
from app.web.render import page

bp = Blueprint("pages", __name__)
LEVELS = 4
LEVELS_BELOW = 2
HITS = 50


@bp.get("/pages")
@requires_sign_in
def index() -> Response:
    """The tree of pages shown to the person; with ``q`` the pages whose title holds these words."""
    connection, identity, query = current().connection, current().identity, search_words()
    workspace_id = identity.workspace_id
    if workspace_id is None:
        return page("pages/index.html", query=query, is_nowhere=True)
    if query:
        found = search_records(connection, identity, workspace_id, query, table="pages", limit=HITS)
        return page("pages/index.html", query=query, hits=hit_views(found.records), more=found.more)
    nodes = page_tree(connection, identity, workspace_id, depth=LEVELS)
    return page("pages/index.html", query="", tree=tree_views(nodes))


@bp.get("/pages/<id:uid>")
@requires_sign_in
def show(uid: int) -> Response:
    """A page: its facts, its content by language, the pages below it."""
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    found = read_record(connection, identity, workspace_id, "pages", uid)
    below = page_tree(connection, identity, workspace_id, found.page_uid, depth=LEVELS_BELOW)[1:]
    path = page_path(connection, identity, workspace_id, found.page_uid)
    view = page_module(connection, identity, found, path)
    return page("pages/show.html", view=view, below=tree_views(below))
