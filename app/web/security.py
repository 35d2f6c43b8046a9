"""What every request must satisfy and every answer carries (reliability.md sections 4 and 5 as amended by D14).

Refusals are HTTP errors; ``errors`` gives each its sentence.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote_to_bytes, urlsplit

from flask import Flask, Response, current_app, g, request
from flask_wtf import CSRFProtect
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    LengthRequired,
    RequestEntityTooLarge,
    UnprocessableEntity,
    UnsupportedMediaType,
)
from werkzeug.middleware.proxy_fix import ProxyFix

from app.config import Settings
from app.web import static_files
from app.web.current import current

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=()",
    "X-Frame-Options": "DENY",
}
WITHOUT_BODY: Final = frozenset({"X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy"})
"""What an empty answer carries: the other policies say how a page behaves, and there is none (P1: a poll of 400 bytes)."""
VARY: Final = ("HX-Request", "Cookie", "Accept-Language")
UNSAFE_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
MOST_BYTES: Final = 1024 * 1024
MOST_FIELDS: Final = 100
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
FORM_TYPES: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_FIELD_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,80}")


def install(app: Flask, settings: Settings) -> None:
    """Configure cookies, hosts and limits, and check every request and answer."""
    is_https = settings.base_url.lower().startswith("https:")
    app.config.update(
        MAX_CONTENT_LENGTH=MOST_BYTES,
        MAX_FORM_MEMORY_SIZE=MOST_BYTES,
        MAX_FORM_PARTS=MOST_FIELDS,
        SESSION_COOKIE_NAME="__Host-sid" if is_https else "sid",
        SESSION_COOKIE_SECURE=is_https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_PATH="/",
        TRUSTED_HOSTS=trusted_hosts(settings),
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,  # the origin is checked below, also where no Referer is sent
    )
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]
    app.before_request(check_size)
    app.before_request(check_encoding)
    app.before_request(check_names)
    app.before_request(check_origin)
    CSRFProtect(app)
    app.after_request(add_headers)
    static_files.install(app)


def trusted_hosts(settings: Settings) -> list[str]:
    """Host names this installation answers to: loopback, the address it listens on, and that of ``base_url`` (B16)."""
    named = urlsplit(settings.base_url).hostname
    listening = [] if settings.host in {"0.0.0.0", "::"} else [settings.host]  # noqa: S104  compared, not bound
    return [*dict.fromkeys([*LOOPBACK, *listening, *([named] if named else [])])]


def own_origin() -> str:
    """Scheme, host and port of this site as a browser names them."""
    base = urlsplit(current_app.extensions["imprimatur"].settings.base_url)
    return f"{base.scheme}://{base.netloc}" if base.netloc else f"{request.scheme}://{request.host}"


def check_size() -> None:
    """Too many fields, a body without length or of a kind no form sends (B11 to B14)."""
    if request.query_string.count(b"&") >= MOST_FIELDS:
        raise BadRequest
    if request.method not in UNSAFE_METHODS:
        return
    if request.content_length is None and request.headers.get("Transfer-Encoding"):
        raise LengthRequired
    if not request.content_length:
        return
    if request.content_length > _most_bytes():
        raise RequestEntityTooLarge
    if request.mimetype not in FORM_TYPES:
        raise UnsupportedMediaType
    if request.mimetype == "application/x-www-form-urlencoded" and request.get_data().count(b"&") >= MOST_FIELDS:
        raise RequestEntityTooLarge


def _most_bytes() -> int:
    """What this request may carry: more for views that take files (``__most_bytes__``), from people who are signed in."""
    view = current_app.view_functions.get(request.endpoint or "")
    most = int(getattr(view, "__most_bytes__", MOST_BYTES))
    if most == MOST_BYTES or current().signed_in is None:
        return MOST_BYTES
    request.max_content_length = most
    return most


def check_encoding() -> None:
    """Bytes that are no UTF-8 and control characters in addresses are refused, never replaced (B6)."""
    _require_utf8(request.query_string, control=True)
    path = str(request.environ.get("PATH_INFO", "")).encode("latin-1", "replace")
    _require_utf8(path.replace(b"%", b"%25"), control=True)
    if request.method in UNSAFE_METHODS and request.mimetype == "application/x-www-form-urlencoded":
        _require_utf8(request.get_data(), control=False)


def _require_utf8(raw: bytes, *, control: bool) -> None:
    plain = unquote_to_bytes(raw.replace(b"+", b" "))
    try:
        words = plain.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest from error
    if control and any(ord(sign) < 32 or ord(sign) == 127 for sign in words):
        raise BadRequest


def check_names() -> None:
    """A field sent twice, a name no form of ours has, and NUL are refused (B4, B5, B53).

    A view that takes several values of one name says so with ``__repeats__``.
    """
    view = current_app.view_functions.get(request.endpoint or "")
    repeats = frozenset(getattr(view, "__repeats__", ()))
    fields = (request.args, request.form) if request.method in UNSAFE_METHODS else (request.args,)
    for values in fields:
        for name, found in values.lists():
            if not _FIELD_NAME.fullmatch(name) or (len(found) > 1 and name not in repeats):
                raise UnprocessableEntity
            if any("\x00" in value for value in found):
                raise UnprocessableEntity


def check_origin() -> None:
    """The second layer against forged forms: the browser itself says the form came from this site (B25, B26)."""
    if request.method not in UNSAFE_METHODS:
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        if site != "same-origin":
            raise Forbidden
        return
    origin = request.headers.get("Origin")
    if origin is not None and origin != own_origin():
        raise Forbidden


def share(response: Response, seconds: int) -> Response:
    """Let browsers and proxies keep an answer that is the same for everybody; one with a cookie is not kept after all."""
    g.imprimatur_shared = True
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    return response


def add_headers(response: Response) -> Response:
    """Policy headers on every page; nothing dynamic is stored or compared, except what a view shares."""
    for name, value in HEADERS.items():
        if response.status_code != 204 or name in WITHOUT_BODY:
            response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = f"max-age={static_files.YEAR}"
    if request.endpoint == "static":
        response.headers["Cache-Control"] = static_files.cache_rule(response)
        return response
    if g.get("imprimatur_shared") and "Set-Cookie" not in response.headers:
        return response
    response.headers["Cache-Control"] = "no-store"
    response.headers.pop("ETag", None)
    response.headers.pop("Last-Modified", None)
    for name in VARY:
        response.vary.add(name)
    return response


def is_own_request() -> bool:
    """Whether the script of our pages asks for a part of a page. Decides about shape only, never about rights (B19)."""
    return request.headers.get("HX-Request") == "true"
