"""The PostgreSQL the tests are given is a real, empty, private one, and nothing of it stays."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.support.postgres import PostgresServer


def _psycopg_url(url: str) -> str:
    return url.replace("postgresql+psycopg:", "postgresql:", 1)


@pytest.mark.postgres
def test_it_gives_an_empty_database_in_unicode(postgres_url: str) -> None:
    with psycopg.connect(_psycopg_url(postgres_url)) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        encoding = connection.execute("SHOW server_encoding").fetchone()
    assert (tables, encoding) == ((0,), ("UTF8",))


@pytest.mark.postgres
def test_it_asks_for_the_password_on_loopback(postgres_server: PostgresServer) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(
            host="127.0.0.1", port=postgres_server.port, user="imprimatur", password="wrong", dbname="postgres"
        )


@pytest.mark.postgres
def test_it_does_not_run_as_root(postgres_server: PostgresServer) -> None:
    process = Path("/proc") / str(postgres_server.pid)
    if not process.is_dir():
        pytest.skip("this system has no /proc to ask for the owner of a process")
    assert process.stat().st_uid != 0
