"""Static addresses: browsers ask for few files, and for each once."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from flask import Flask, url_for

from app.web.stylesheet import joined
from tests.house.sources import ROOT
from tests.support.page import PageClient

FOREVER = "public, max-age=31536000, immutable"


def address(app: Flask, filename: str) -> str:
    """The address a template gets."""
    with app.test_request_context():
        return url_for("static", filename=filename)


def test_it_answers_the_styles_as_one_file(app: Flask, anonymous: PageClient) -> None:
    named = str(anonymous.get("/sign-in").one("link[rel=stylesheet]")["href"])
    assert named == address(app, "css/app.css")
    found = app.test_client().get(named, buffered=True)
    assert found.data == joined(ROOT / "static" / "css" / "app.css")
    assert found.mimetype == "text/css"
    assert found.headers["Cache-Control"] == FOREVER
    again = app.test_client().get(named, buffered=True, headers={"If-None-Match": found.headers["ETag"]})
    assert (again.status_code, again.data, again.headers["Cache-Control"]) == (304, b"", FOREVER)


def test_it_lets_browsers_keep_every_module_the_first_one_names(app: Flask) -> None:
    client = app.test_client()
    first = address(app, "js/app.js")
    assert re.fullmatch(r"/static/[0-9a-f]{16}/js/app\.js", first)
    waiting, seen = [first], set[str]()
    while waiting:
        asked = waiting.pop()
        if asked in seen:
            continue
        seen.add(asked)
        found = client.get(asked, buffered=True)
        assert found.mimetype == "text/javascript"
        assert (found.status_code, found.headers["Cache-Control"]) == (200, FOREVER)
        waiting += [urljoin(asked, name) for name in re.findall(r'"(\./[a-z-]+\.js)"', found.get_data(as_text=True))]
    assert len(seen) == len(list((ROOT / "static" / "js").glob("*.js")))


def test_it_never_keeps_an_address_with_another_hash(app: Flask) -> None:
    client = app.test_client()
    for path in ("/static/js/app.js", "/static/0123456789abcdef/js/app.js", "/static/css/app.css?v=0123456789abcdef"):
        found = client.get(path, buffered=True)
        assert (found.status_code, found.headers["Cache-Control"]) == (200, "no-cache")
    right = address(app, "js/app.js")
    assert client.get(right.replace("app.js", "none.js"), buffered=True).status_code == 404
    assert client.get(right.replace("js/app.js", "css/app.css"), buffered=True).status_code == 404
    assert client.get("/static/0123456789abcdef/js/../../app/config.py", buffered=True).status_code == 404


def test_it_gives_other_files_the_hash_of_their_own(app: Flask) -> None:
    icon = address(app, "favicon.svg")
    assert re.fullmatch(r"/static/favicon\.svg\?v=[0-9a-f]{16}", icon)
    assert app.test_client().get(icon, buffered=True).headers["Cache-Control"] == FOREVER
    assert address(app, "none.svg") == "/static/none.svg"
