"""Language, appearance, time zone, sending key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import i18n
from tests.support.page import PageClient

GERMAN = """msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\nLanguage: de\\n"

msgid "Preferences"
msgstr "Einstellungen"
"""


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A German catalogue with one word."""
    folder = tmp_path / "translations" / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "messages.po").write_text(GERMAN, encoding="utf-8")
    monkeypatch.setattr(i18n, "CATALOGUES", tmp_path / "translations")
    i18n.catalogue.cache_clear()
    yield
    i18n.catalogue.cache_clear()


def test_it_saves_what_a_person_chooses(anna: PageClient) -> None:
    values = {"language": "en", "theme": "dark", "timezone": "America/New_York", "sending_key": "enter"}
    saved = anna.follow(anna.submit(anna.get("/preferences"), "form#preferences", **values))
    assert "Your preferences are saved." in saved.text
    assert saved.values("form#preferences") | values == saved.values("form#preferences")
    assert saved.one("html")["data-theme"] == "dark"


@pytest.mark.parametrize(
    ("field", "value"), [("language", "xx"), ("theme", "pink"), ("timezone", "Mars/Crater"), ("sending_key", "")]
)
def test_it_takes_offered_values_only(anna: PageClient, field: str, value: str) -> None:
    refused = anna.submit(anna.get("/preferences"), "form#preferences", **{field: value})
    assert refused.status == 422
    assert refused.one(".error-summary a")["href"] == f"#{field}"
    assert refused.title.startswith("Error:")


def test_it_never_saves_another_column(anna: PageClient) -> None:
    """I24"""
    anna.submit(anna.get("/preferences"), "form#preferences", is_admin="1", workspace_id="0")
    assert anna.get("/setup/finished").status == 403


def test_it_keeps_the_appearance_of_the_footer_and_returns(anna: PageClient, anonymous: PageClient) -> None:
    for browser in (anna, anonymous):
        data = {"section": "appearance", "theme": "light"}
        done = browser.post("/preferences", data, headers={"Referer": "http://localhost/help"})
        assert (done.status, done.location) == (303, "/help")
        assert browser.get("/help").one("html")["data-theme"] == "light"


def test_it_answers_the_script_of_the_footer_with_nothing(anna: PageClient) -> None:
    data = {"section": "appearance", "theme": "dark"}
    done = anna.post("/preferences", data, headers={"HX-Request": "true"})
    assert (done.status, done.html) == (204, "")


def test_it_keeps_choices_of_a_browser_nobody_is_signed_in(anonymous: PageClient) -> None:
    form = anonymous.get("/preferences")
    assert "timezone" not in form.values("form#preferences")
    anonymous.submit(form, "form#preferences", theme="dark")
    assert anonymous.get("/sign-in").one("html")["data-theme"] == "dark"


def test_it_speaks_the_language_of_a_link_from_then_on(anonymous: PageClient, german: None) -> None:
    link = anonymous.get("/preferences?theme=x").one("a[hreflang=de]")
    assert (link.get_text(), link["lang"], link["href"]) == ("Deutsch", "de", "/preferences?theme=x&language=de")
    assert anonymous.get(str(link["href"])).heading == "Einstellungen"
    assert anonymous.get("/preferences").heading == "Einstellungen"
    assert anonymous.get("/preferences").one("html")["lang"] == "de"
    assert anonymous.get("/preferences?language=en").heading == "Preferences"


def test_it_speaks_the_language_of_the_person_and_the_browser(
    anonymous: PageClient, anna: PageClient, german: None
) -> None:
    assert anonymous.get("/preferences", headers={"Accept-Language": "de-CH,de;q=0.9"}).heading == "Einstellungen"
    assert anna.get("/preferences", headers={"Accept-Language": "de"}).heading == "Preferences"
    anna.submit(anna.get("/preferences"), "form#preferences", language="de")
    assert anna.get("/preferences").heading == "Einstellungen"


def test_it_demands_the_token(anna: PageClient) -> None:
    assert anna.post_raw("/preferences", data={"theme": "dark"}).status == 403
