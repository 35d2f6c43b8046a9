"""What every request must satisfy and every answer carries (reliability.md B1 to B26)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app import create_app
from app.agent.runtime import Runtime
from app.config import Settings
from app.web.guards import Guard
from app.web.locale import accepted_locale
from app.web.security import trusted_hosts
from tests.support.page import PageClient

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "path",
    [
        "/pages/99999999999999999999",  # B1
        "/pages/9007199254740993",
        "/pages/0",
        "/pages/-1",
        "/pages/01",
        "/pages/%D9%A1",  # B2, an Arabic digit
        "/pages/1.0",
        "/records/users/1",
        "/records/pages/x",
        "/workspaces/1_0",
        "/runs/00000000-0000-0000-0000-00000000000G/card",
        "/no/such/page",
    ],
)
def test_it_knows_no_such_address(anna: PageClient, path: str) -> None:
    found = anna.get(path)
    assert found.status == 404
    assert "There is nothing at this address" in found.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("q=a&q=b", 422),  # B4
        ("q[]=a", 422),  # B5
        ("q[$ne]=a", 422),
        ("q=%FF", 400),  # B6
        ("q=%ED%A0%80", 400),
        ("q=%00", 400),
        ("q=%0d%0aSet-Cookie:x", 400),
        ("&".join(f"a{n}=1" for n in range(200)), 400),
    ],
)
def test_it_refuses_odd_parameters_with_a_sentence(anna: PageClient, query: str, status: int) -> None:
    found = anna.get(f"/pages?{query}")
    assert found.status == status
    assert found.heading


@pytest.mark.parametrize("path", ["/%FF", "/pages/%00", "/%0d%0aX"])
def test_it_refuses_odd_paths(anna: PageClient, path: str) -> None:
    assert anna.get(path).status in {400, 404}


@pytest.mark.parametrize("words", ["1_0", " 7 ", "+5", "²", "-1", "1e3", "99999999999999999999"])
def test_it_reads_plain_numbers_only(anna: PageClient, words: str) -> None:
    """B3"""
    assert anna.get("/records/pages/2/history", query_string={"workspace": words}).status == 422
    assert anna.post("/workspaces/selection", {"workspace": words}).status == 422


def test_it_bounds_what_a_form_may_hold(anna: PageClient) -> None:
    """B11, B12"""
    many = {f"a{n}": "1" for n in range(20_000)}
    assert anna.post("/preferences", many).status == 413
    assert anna.post("/preferences", {"language": "x" * 2_000_000}).status == 413
    parts = {f"a{n}": "1" for n in range(1_001)} | {"csrf_token": anna.token()}
    assert anna.post_raw("/preferences", data=parts, content_type="multipart/form-data").status == 413


def test_it_takes_forms_only(anna: PageClient) -> None:
    """B13, B14"""
    assert anna.post_raw("/preferences", json={"theme": "dark"}).status == 415
    chunked = anna.post_raw(
        "/preferences", headers={"Transfer-Encoding": "chunked"}, environ_overrides={"CONTENT_LENGTH": ""}
    )
    assert chunked.status == 411


def test_it_refuses_nul_and_broken_text_in_forms(anna: PageClient) -> None:
    """B53"""
    token = anna.token()
    assert anna.post_raw("/sign-in", data=f"csrf_token={token}&username=a%00", content_type=FORM).status == 422
    assert anna.post_raw("/sign-in", data=f"csrf_token={token}&username=%FF", content_type=FORM).status == 400


@pytest.mark.parametrize("host", ["evil.test", "ed@evil.test", "localhost:99999999", "127.0.0.1.evil.test", ""])
def test_it_answers_to_its_own_name_only(anonymous: PageClient, host: str) -> None:
    """B16"""
    found = anonymous.get("/sign-in", headers={"Host": host} if host else {"Host": " "})
    assert found.status == 400
    assert "evil" not in found.html


def test_it_knows_its_own_names() -> None:
    settings = Settings(base_url="https://cms.example:8443/x", host="10.0.0.7")
    assert trusted_hosts(settings) == ["127.0.0.1", "localhost", "[::1]", "10.0.0.7", "cms.example"]
    assert trusted_hosts(Settings(host="::")) == ["127.0.0.1", "localhost", "[::1]"]


def test_it_ignores_forwarding_headers_of_strangers(anonymous: PageClient) -> None:
    """B17"""
    headers = {"X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "https", "X-Forwarded-For": "1.2.3.4"}
    found = anonymous.get("/sign-in", headers=headers)
    assert found.status == 200
    assert "evil" not in found.html
    assert "Strict-Transport-Security" not in found.headers


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("de;q=NaN", "en"),
        ("de;q=1e999", "en"),
        ("../../etc", "en"),
        ("*", "en"),
        ("x" * 5_000, "en"),
        ("de-AT,de;q=0.8,en;q=0.5", "de"),
        ("fr, de;q=0.3, en;q=0.2", "de"),
        ("en;q=0.2, de;q=0.9", "de"),
        ("de;q=0", "en"),
        (",".join(["de"] * 2_000), "de"),
    ],
)
def test_it_takes_the_best_language_it_knows(anonymous: PageClient, header: str, code: str) -> None:
    """B18"""
    assert accepted_locale(header, ("en", "de")) == code
    assert anonymous.get("/sign-in", headers={"Accept-Language": header}).status == 200


def test_it_never_stores_or_compares_dynamic_answers(anna: PageClient) -> None:
    """B20"""
    found = anna.get("/sessions", headers={"If-None-Match": "*", "Range": "bytes=0-0," * 500 + "1-2"})
    assert found.status == 200
    assert found.headers["Cache-Control"] == "no-store"
    assert "ETag" not in found.headers
    assert {"Cookie", "HX-Request", "Accept-Language"} <= {name.strip() for name in found.headers["Vary"].split(",")}


def test_it_sends_the_policy_with_everything(anonymous: PageClient) -> None:
    for path in ("/sign-in", "/nowhere", "/static/css/app.css", "/health"):
        headers = anonymous.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "nonce" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_it_lets_browsers_keep_what_has_a_version(anonymous: PageClient) -> None:
    address = str(anonymous.get("/sign-in").one("link[rel=stylesheet]")["href"])
    assert "?v=" in address
    assert "immutable" in anonymous.get(address).headers["Cache-Control"]
    assert anonymous.get("/static/css/app.css").headers["Cache-Control"] == "no-cache"
    assert anonymous.get("/static/css/app.css?v=guessed").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("value", ["cross-site", "same-site", "none", "odd"])
def test_it_takes_forms_of_this_site_only(anna: PageClient, value: str) -> None:
    """B25"""
    assert anna.post("/preferences", {"theme": "dark"}, headers={"Sec-Fetch-Site": value}).status == 403
    assert anna.get("/sessions", headers={"Sec-Fetch-Site": value}).status == 200


@pytest.mark.parametrize(("origin", "status"), [("http://localhost", 303), ("null", 403), ("https://localhost", 403)])
def test_it_compares_the_origin_where_the_browser_says_no_more(anna: PageClient, origin: str, status: int) -> None:
    data = {"section": "appearance", "theme": "dark"}
    assert anna.post("/preferences", data, headers={"Origin": origin}).status == status


@pytest.mark.parametrize("token", [None, "", "x", "Ijk.x.y"])
def test_it_demands_the_token_always(anna: PageClient, token: str | None) -> None:
    """B26"""
    data = {"theme": "dark"} | ({} if token is None else {"csrf_token": token})
    found = anna.post_raw("/preferences", data=data, headers={"Sec-Fetch-Site": "same-origin"})
    assert found.status == 403
    assert "This form is too old" in found.text


def test_it_refuses_the_token_of_another_person(anna: PageClient, browser_of: Callable[[str], PageClient]) -> None:
    """B24"""
    assert anna.post_raw("/sign-out", data={"csrf_token": browser_of("ben").token()}).status == 403


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-Method-Override"])
def test_it_writes_by_post_only(anna: PageClient, header: str) -> None:
    """B10"""
    found = anna.get("/workspaces/selection", headers={header: "POST"})
    assert found.status == 405
    assert "POST" in found.headers["Allow"]


def test_it_leads_people_to_the_sign_in_and_scripts_to_a_status(anonymous: PageClient) -> None:
    assert anonymous.get("/workspaces").location == "/sign-in?next=/workspaces"
    for headers in ({"HX-Request": "true"}, {"Accept": "application/json"}):
        found = anonymous.get("/workspaces", headers=headers)
        assert found.status == 401
        assert not found.all("form")
    assert anonymous.post("/workspaces/selection", {"workspace": "0"}).status == 401


def test_it_is_closed_to_a_view_without_a_guard(app: Flask, anna: PageClient) -> None:
    app.view_functions["info.help_page"] = lambda: "open"
    assert anna.get("/help").status == 403


def test_it_guards_by_predicate(anna: PageClient, browser_of: Callable[[str], PageClient]) -> None:
    assert anna.get("/setup/finished").status == 403
    assert browser_of("admin").get("/setup/finished").status == 200
    assert Guard(name="x").needs_sign_in


def test_it_uses_the_strict_cookie_on_https(tmp_path_factory: pytest.TempPathFactory, runtime: Runtime) -> None:
    folder = str(tmp_path_factory.mktemp("https"))
    settings = Settings.from_environment({}, data=folder, base_url="https://cms.example", workers=0)
    secure = create_app(settings, runtime=runtime)
    assert secure.config["SESSION_COOKIE_NAME"] == "__Host-sid"
    assert secure.config["SESSION_COOKIE_SECURE"]
    with secure.test_client() as client:
        found = client.get("/health", base_url="https://cms.example")
        assert found.headers["Strict-Transport-Security"].startswith("max-age=")


def test_it_sets_a_cookie_no_script_can_read(anonymous: PageClient) -> None:
    header = anonymous.get("/sign-in").headers["Set-Cookie"]
    assert header.startswith("sid=")
    assert "HttpOnly" in header
    assert "SameSite=Lax" in header
    assert "Path=/" in header
