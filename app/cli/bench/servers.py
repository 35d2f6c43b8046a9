"""Databases of a PostgreSQL server that exist for one figure; never one somebody uses."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine
from sqlalchemy import text as sql
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError


def is_server(url: str) -> bool:
    """Whether ``url`` names a database of a server; SQLite and nothing mean a file in the temporary folder."""
    return bool(url) and not url.startswith("sqlite")


@contextmanager
def temporary_database(server_url: str) -> Iterator[str]:
    """The address of a fresh database on the server of ``server_url``, dropped at the end.

    Raises ``OSError`` when the server cannot be reached or the account may make no databases.
    """
    name = f"imprimatur_bench_{secrets.token_hex(6)}"
    _command(server_url, f'CREATE DATABASE "{name}" TEMPLATE template0')
    try:
        yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    finally:
        _command(server_url, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _command(server_url: str, statement: str) -> None:
    engine = create_engine(server_url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(sql(statement))
    except SQLAlchemyError as error:
        msg = "a database of its own could not be made on the server"
        raise OSError(msg) from error
    finally:
        engine.dispose()
