"""Pages that explain: accessibility statement, words, help, keyboard, feedback."""

from __future__ import annotations

from flask import Blueprint, Response

from app.web.glossary import WORDS
from app.web.guards import public
from app.web.render import page

bp = Blueprint("info", __name__)


@bp.get("/accessibility")
@public
def accessibility() -> Response:
    """The accessibility statement."""
    return page("info/accessibility.html")


@bp.get("/glossary")
@public
def glossary() -> Response:
    """The words of the interface and what they mean."""
    return page("info/glossary.html", words=WORDS)


@bp.get("/help")
@public
def help_page() -> Response:
    """First steps."""
    return page("info/help.html")


@bp.get("/keyboard")
@public
def keyboard() -> Response:
    """What the keyboard does."""
    return page("info/keyboard.html")


@bp.get("/feedback")
@public
def feedback() -> Response:
    """Whom to tell what is in the way."""
    return page("info/feedback.html")
