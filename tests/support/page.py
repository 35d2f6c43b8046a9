"""A client whose answers are parsed pages, each checked for what every page has to be (style.md section 8)."""

from __future__ import annotations

import contextvars
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import html5lib
from bs4 import BeautifulSoup, Tag
from flask import Flask
from werkzeug.test import TestResponse

from app.accounts import sessions
from app.core.db import transaction

T = TypeVar("T")
_SCRIPT_WITHOUT_SOURCE = re.compile(r"(?is)<script\b(?![^>]*\bsrc=)")
_SPACES = re.compile(r"\s+")
_UNLABELLED = {"hidden", "submit", "button", "image", "reset"}


def markup_problems(html: str) -> list[str]:
    """What is wrong with a page or a fragment, one sentence each."""
    is_page = html.lstrip().lower().startswith("<!doctype")
    parser = html5lib.HTMLParser()
    parser.parse(html) if is_page else parser.parseFragment(html)
    found = [f"not valid HTML at {position}: {code}" for position, code, _ in parser.errors]
    soup = BeautifulSoup(html, "html5lib")
    ids = Counter(str(tag["id"]) for tag in soup.find_all(id=True))
    found += [f"the id {name!r} is there {count} times" for name, count in ids.items() if count > 1]
    found += _reference_problems(soup, ids) if is_page else []
    found += _control_problems(soup)
    found += [f"<{tag.name}> has a style attribute" for tag in soup.find_all(style=True)]
    found += ["a style element"] if soup.find("style") else []
    found += ["a script without src"] if _SCRIPT_WITHOUT_SOURCE.search(html) else []
    for form in soup.find_all("form"):
        if not form.get("action") or not form.get("method"):
            found.append(f"a form without action or method: {form.get('id')}")
        if str(form.get("method", "")).lower() == "post" and not form.find("input", attrs={"name": "csrf_token"}):
            found.append(f"a form without a token: {form.get('action')}")
    return found + (_title_problems(soup) if is_page else [])


def _title_problems(soup: BeautifulSoup) -> list[str]:
    headings = [words_of(heading) for heading in soup.find_all("h1")]
    title = words_of(soup.title) if soup.title else ""
    if len(headings) != 1:
        return [f"{len(headings)} headings of level 1"]
    return [] if headings[0] in title else [f"the title {title!r} does not name the heading {headings[0]!r}"]


def _control_problems(soup: BeautifulSoup) -> list[str]:
    labelled = {str(label["for"]) for label in soup.find_all("label", attrs={"for": True})}
    found = []
    for control in soup.find_all(["input", "select", "textarea"]):
        if str(control.get("type", "")).lower() in _UNLABELLED:
            continue
        if control.get("id") in labelled or control.find_parent("label") or control.get("aria-label"):
            continue
        found.append(f"no label for {control.get('name')}")
    return found


def _reference_problems(soup: BeautifulSoup, ids: Mapping[str, int]) -> list[str]:
    found = []
    for name in ("aria-labelledby", "aria-describedby", "for"):
        for tag in soup.find_all(attrs={name: True}):
            found += [f"{name} names {one!r}, which is not there" for one in str(tag[name]).split() if one not in ids]
    return found


def words_of(tag: Tag) -> str:
    """The text of an element with single spaces."""
    return _SPACES.sub(" ", tag.get_text()).strip()


@dataclass(frozen=True, kw_only=True)
class Page:
    """An answer."""

    response: TestResponse
    html: str

    @property
    def status(self) -> int:
        """The status code."""
        return self.response.status_code

    @property
    def headers(self) -> Any:
        """The headers."""
        return self.response.headers

    @property
    def location(self) -> str:
        """Where a redirect leads."""
        return str(self.response.headers.get("Location", ""))

    @property
    def soup(self) -> BeautifulSoup:
        """The parsed markup."""
        return BeautifulSoup(self.html, "html5lib")

    @property
    def text(self) -> str:
        """The words of ``main`` (of everything in a fragment)."""
        soup = self.soup
        return words_of(soup.find("main") or soup)

    @property
    def heading(self) -> str:
        """The heading of level 1."""
        return words_of(self.soup.h1) if self.soup.h1 else ""

    @property
    def title(self) -> str:
        """The title of the document."""
        return words_of(self.soup.title) if self.soup.title else ""

    def all(self, selector: str) -> list[Tag]:
        """Elements by CSS selector."""
        return list(self.soup.select(selector))

    def one(self, selector: str) -> Tag:
        """The only element of a selector."""
        found = self.all(selector)
        assert len(found) == 1, f"{selector}: {len(found)}"
        return found[0]

    def values(self, form: str) -> dict[str, str]:
        """What the browser would send for a form, by CSS selector, without any button."""
        values: dict[str, str] = {}
        for control in self.one(form).find_all(["input", "select", "textarea"]):
            kind, name = str(control.get("type", "text")).lower(), str(control.get("name", ""))
            if (
                not name
                or kind in {"submit", "button"}
                or (kind in {"radio", "checkbox"} and not control.has_attr("checked"))
            ):
                continue
            if control.name == "select":
                options = control.find_all("option")
                chosen = next((option for option in options if option.has_attr("selected")), options[0])
                values[name] = str(chosen.get("value", ""))
            else:
                values[name] = control.get_text() if control.name == "textarea" else str(control.get("value", "on"))
        return values


class PageClient:
    """A browser of one person. Every request gets its own application context, as in the server."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client = app.test_client()

    def get(self, path: str, **options: Any) -> Page:
        """GET; a page is checked."""
        return self._page(lambda: self.client.get(path, buffered=True, **options))

    def post(self, path: str, data: Mapping[str, Any] | None = None, **options: Any) -> Page:
        """POST of a form with the token of this session, as the browser sends it."""
        values = {"csrf_token": self.token(), **(data or {})}
        return self.post_raw(path, data=values, **options)

    def post_raw(self, path: str, **options: Any) -> Page:
        """POST of exactly what is given."""
        return self._page(lambda: self.client.post(path, buffered=True, **options))

    def submit(self, page: Page, form: str, **values: str) -> Page:
        """Fill in a form of a page and press its button."""
        tag = page.one(form)
        data = {**page.values(form), **values}
        if str(tag["method"]).lower() == "get":
            return self.get(str(tag["action"]), query_string=data)
        return self.post_raw(str(tag["action"]), data=data)

    def follow(self, page: Page) -> Page:
        """The page a redirect leads to."""
        assert page.status == 303, page.status
        return self.get(page.location)

    def token(self) -> str:
        """The token of this session's forms."""
        return str(self.get("/preferences").values("form.appearance")["csrf_token"])

    def sign_in_as(self, user_id: int) -> PageClient:
        """Be signed in as somebody, without a password."""
        with transaction() as connection:
            session_token = sessions.open_session(connection, user_id, "Test browser")
        with self._fresh(lambda: self.client.session_transaction()) as session:
            session.clear()
            session["_user_id"] = session_token
        return self

    def _page(self, request: Callable[[], TestResponse]) -> Page:
        response = self._fresh(request)
        is_text = (response.mimetype or "").startswith("text/") or (response.mimetype or "") in {"", "application/json"}
        html = response.get_data(as_text=True) if is_text else ""
        if response.mimetype == "text/html" and html and response.status_code not in {301, 302, 303, 307, 308}:
            problems = markup_problems(html)
            assert not problems, f"{problems}\n{html[:4000]}"
        return Page(response=response, html=html)

    @staticmethod
    def _fresh(action: Callable[[], T]) -> T:
        return contextvars.Context().run(action)
