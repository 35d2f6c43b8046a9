"""For operators."""

from __future__ import annotations

from flask import Flask

from app.core.db import transaction
from tests.support.page import PageClient


def test_it_says_in_plain_text_that_it_works(anonymous: PageClient) -> None:
    for path, words in (("/health", "ok\n"), ("/ready", "ready\n")):
        found = anonymous.get(path)
        assert (found.status, found.html) == (200, words)
        assert found.headers["Content-Type"].startswith("text/plain")
        assert "Set-Cookie" not in found.headers


def test_it_says_that_the_database_is_not_ready(app: Flask, anonymous: PageClient) -> None:
    with transaction() as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")
    assert anonymous.get("/ready").status == 503
    assert anonymous.get("/health").status == 200
