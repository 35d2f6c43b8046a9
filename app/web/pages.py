"""The page tree, opened in parts, and the page module: what is on a page and what may be done with it."""

from __future__ import annotations

from flask import Blueprint, Response, request

from app.content.errors import WriteRefused, not_found
from app.content.page_lists import list_below, open_tree
from app.content.reading import page_path, read_record, search_records
from app.web.arguments import optional_number, parse_number, search_words
from app.web.content_values import RecordLinkView
from app.web.content_views import hit_views, record_link, words_of
from app.web.current import current
from app.web.guards import requires_sign_in, standing_or_404
from app.web.page_values import BranchView
from app.web.page_views import branch_view, page_module, path_views, tree_views
from app.web.render import fragment, page

bp = Blueprint("pages", __name__)
HITS = 50


@bp.get("/pages")
@requires_sign_in
def index() -> Response:
    """The upper part of the tree of pages shown to the person; with ``q`` the pages whose title or number it is."""
    connection, identity, query = current().connection, current().identity, search_words()
    workspace_id = identity.workspace_id
    if workspace_id is None:
        return page("pages/index.html", query=query, is_nowhere=True)
    if query:
        found = search_records(connection, identity, workspace_id, query, table="pages", limit=HITS)
        hits = (*_numbered(query), *hit_views(found.records))
        return page("pages/index.html", query=query, hits=hits, more=found.more)
    tree = open_tree(connection, identity, workspace_id)
    return page("pages/index.html", query="", tree=tree_views(tree.pages), more=tree.more)


def _numbered(query: str) -> tuple[RecordLinkView, ...]:
    """The page whose number was searched for, if the person may read it."""
    uid = parse_number(query)
    if not uid:
        return ()
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    try:
        found = read_record(connection, identity, workspace_id, "pages", uid)
    except WriteRefused:
        return ()
    return (record_link(found, words_of(connection, identity), at_page=True),)


@bp.get("/pages/<id:uid>/below")
@requires_sign_in
def below(uid: int) -> Response:
    """The pages below a page: a part of the tree for the script, a page of its own for everybody else."""
    branch = _branch(uid)
    if request.headers.get("HX-Request") == "true":
        return fragment("pages/_branch.html", branch=branch)
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    path = path_views(page_path(connection, identity, workspace_id, uid))
    return page("pages/below.html", branch=branch, path=path)


def _branch(uid: int) -> BranchView:
    """One part of what lies below a page that is shown to the person."""
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    found = read_record(connection, identity, workspace_id, "pages", uid)
    part = optional_number("part") or 1
    if found.page_uid != uid:
        raise not_found()
    return branch_view(list_below(connection, identity, workspace_id, uid, part=part), uid, part)


@bp.get("/pages/<id:uid>")
@requires_sign_in
def show(uid: int) -> Response:
    """A page: its facts, its content by language, the pages below it; with ``deleted`` what can be restored on it."""
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    found = read_record(connection, identity, workspace_id, "pages", uid)
    path = page_path(connection, identity, workspace_id, found.page_uid)
    view = page_module(connection, identity, workspace_id, found, path, with_deleted=request.args.get("deleted") == "1")
    branch = branch_view(list_below(connection, identity, workspace_id, found.page_uid), found.page_uid, 1)
    return page("pages/show.html", view=view, branch=branch)
