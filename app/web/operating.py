"""For operators: is the process alive, can it work. Plain text, no session, no words to translate."""

from __future__ import annotations

from flask import Blueprint, Response, make_response
from sqlalchemy import text as sql
from sqlalchemy.exc import SQLAlchemyError

from app.core.db import reading
from app.web.guards import public

bp = Blueprint("operating", __name__)


@bp.get("/health")
@public
def health() -> Response:
    """The process answers."""
    return _plain("ok", 200)


@bp.get("/ready")
@public
def ready() -> Response:
    """The database answers and holds the tables."""
    try:
        with reading() as connection:
            connection.execute(sql("SELECT version_num FROM alembic_version")).one()
    except SQLAlchemyError:
        return _plain("database not ready", 503)
    return _plain("ready", 200)


def _plain(words: str, status: int) -> Response:
    response = make_response(f"{words}\n", status)
    response.mimetype = "text/plain"
    return response
