"""The only callers of ``render_template``: whole pages, fragments, and fragments with parts for other places of the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Response, flash, make_response, redirect, render_template

from app.core.i18n import Text
from app.web.locale import words
from app.web.security import is_own_request
from app.web.shell import build_shell

MOST_OOB: Final = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A partial with what it needs; rendered with ``oob=True`` when it goes to another place than the target."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


def page(template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any) -> Response:
    """A whole page in the frame of its reader."""
    return _response(render_template(template, shell=build_shell(), **context), status, headers)


def fragment(template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any) -> Response:
    """One partial on its own."""
    return _response(render_template(template, **context), status, headers)


def fragments(main: Part | None, *oob: Part, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """``main`` for the target of the request and at most three further partials for their own places (style.md section 5)."""
    if len(oob) > MOST_OOB:
        msg = f"at most {MOST_OOB} parts beside the main one"
        raise ValueError(msg)
    rendered = [render_template(main.template, **main.context)] if main else []
    rendered += [render_template(part.template, oob=True, **part.context) for part in oob]
    return _response("".join(rendered), status, headers)


def empty(status: int = 204, headers: Mapping[str, str] | None = None) -> Response:
    """An answer without a body."""
    response = _response("", status, headers)
    response.headers.pop("Content-Type", None)
    return response


def events(**by_name: Any) -> dict[str, str]:
    """The header that tells the page's script what happened; ASCII only, for headers are not UTF-8 (SW-2).

    Underscores of names become hyphens: ``events(poll_now={})`` is the event ``poll-now``.
    """
    named = {name.replace("_", "-"): value for name, value in by_name.items()}
    return {"HX-Trigger": json.dumps(named, ensure_ascii=True, default=words)}


def see_other(address: str, notice: Text | None = None, kind: str = "ok") -> Response:
    """After a form: the page of the result (303), with a sentence on it if there is something to say."""
    if notice is not None:
        flash(words(notice), kind)
    return make_response(redirect(address, code=303))


def wants_fragment() -> bool:
    """Whether the answer goes into a page that is open already."""
    return is_own_request()


def _response(body: str, status: int, headers: Mapping[str, str] | None) -> Response:
    response = make_response(body, status)
    response.headers.update(headers or {})
    return response
