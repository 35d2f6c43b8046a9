"""Every error as one sentence: which status an error family has, and how it looks as a page, a part of a page, or JSON.

Missing and forbidden records give the same answer (I21); what went wrong inside is in the log, never on the page (RT-15).
"""

from __future__ import annotations

import logging
from typing import Final

from flask import Flask, Response, make_response, redirect, request, url_for
from flask_wtf.csrf import CSRFError
from jinja2 import TemplateNotFound
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, InternalServerError

from app.content.errors import WriteRefused
from app.core.errors import AppError, Conflict, Forbidden, Invalid, NotFound, TooMany, Unavailable
from app.core.i18n import Text, text
from app.web import render
from app.web.current import NotSignedIn, current
from app.web.locale import settle_without_person
from app.web.locale import words as reader_words
from app.web.security import UNSAFE_METHODS, is_own_request

log = logging.getLogger(__name__)

SENTENCES: Final[dict[int, Text]] = {
    400: text("The request could not be read."),
    401: text("You are not signed in. Sign in in another tab, then come back and send the form again."),
    403: text("You may not do this with your rights, or the page is too old. Reload the page and try again."),
    404: text("There is nothing at this address, or you may not see it."),
    405: text("This address does not accept this kind of request."),
    409: text("Nothing was saved, because the state you saw is no longer the current one."),
    411: text("The request does not say how long it is."),
    413: text("The text or the file is larger than allowed."),
    415: text("This address takes forms only."),
    422: text("At least one entry of the form is missing or not valid."),
    429: text("There were too many requests in a short time."),
    500: text("The server could not finish the request because of an error."),
    503: text("The server cannot answer at the moment. Nothing was changed."),
}
_SAME_AS: Final = {411: 400, 414: 400, 415: 400, 431: 400}
_RETRY_SECONDS: Final = "5"
_SWAPPED: Final = frozenset({409, 413, 422})


def install(app: Flask) -> None:
    """Register an answer for every family of errors."""
    app.register_error_handler(NotSignedIn, answer_anonymous)
    app.register_error_handler(CSRFError, answer_forged)
    app.register_error_handler(AppError, answer_app_error)
    app.register_error_handler(OperationalError, answer_database)
    app.register_error_handler(PoolTimeout, answer_database)
    app.register_error_handler(HTTPException, answer_http)
    app.register_error_handler(InternalServerError, answer_unexpected)


def status_of(error: AppError) -> int:
    """The status of an error family."""
    match error:
        case NotFound():
            return 404
        case WriteRefused():
            return 404 if error.reason == "not_found" else 422
        case Forbidden():
            return 403
        case Conflict():
            return 409
        case Invalid():
            return 422
        case TooMany():
            return 429
        case Unavailable():
            return 503
        case _:
            return 500


def answer_app_error(error: AppError) -> Response:
    """An error raised on purpose; a missing record says no more than an unknown address."""
    status = status_of(error)
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, TooMany) else {}
    if status == 503:
        headers["Retry-After"] = _RETRY_SECONDS
    return answer(status, None if status == 404 else error.text, headers)


def answer_anonymous(_error: NotSignedIn) -> Response:
    """A page leads to the sign-in and back; a form or a part of a page says so and keeps what was typed (SW-11)."""
    if request.method in UNSAFE_METHODS or is_own_request() or _wants_json():
        return answer(401, None, {})
    wanted = request.full_path.rstrip("?") if request.path != "/" else None
    return make_response(redirect(url_for("auth.new", next=wanted), code=303))


def answer_forged(_error: CSRFError) -> Response:
    """The token of the form is missing, old or of another session: nothing of it is repeated."""
    sentence = text("This form is too old or was not sent from this site. Go back, reload the page and send it again.")
    return answer(403, sentence, {})


def answer_database(error: Exception) -> Response:
    """The database is busy, full or away: nothing was changed, later is worth a try (F15 to F19)."""
    log.error("database: %s", type(error).__name__)
    return answer(503, None, {"Retry-After": _RETRY_SECONDS})


def answer_http(error: HTTPException) -> Response:
    """An error of the protocol; redirects pass."""
    status = error.code or 500
    if status < 400:
        return make_response(error.get_response())
    kept = {name: value for name, value in error.get_response().headers.items() if name in {"Allow", "Retry-After"}}
    return answer(status, SENTENCES.get(status), kept)


def answer_unexpected(error: InternalServerError) -> Response:
    """A mistake of ours: the log has its kind and place, the page has neither."""
    cause = error.original_exception
    log.error("unexpected: %s at %s", type(cause or error).__name__, request.endpoint, exc_info=cause)
    return answer(500, None, {})


def answer(status: int, sentence: Text | None, headers: dict[str, str]) -> Response:
    """The error in the shape the request asks for."""
    words = sentence or SENTENCES.get(status, SENTENCES[400])
    try:
        current().release()  # whatever was read may be what failed
        if status >= 500:
            settle_without_person()
        if _wants_json():
            response = make_response({"error": reader_words(words)}, status)
        elif is_own_request():
            template = "site/_problem.html" if status in _SWAPPED else "site/_sentence.html"
            response = render.fragment(template, status=status, sentence=words)
        else:
            response = _page(status, sentence)
    except Exception:  # an error page must come out whatever failed
        log.exception("the error page failed")
        response = _plain(status)
    response.headers.update(headers)
    return response


def _page(status: int, sentence: Text | None) -> Response:
    template = f"errors/{_SAME_AS.get(status, status)}.html"
    if status in {500, 503}:
        return render.fragment(template, status=status)
    try:
        return render.page(template, status=status, message=sentence)
    except TemplateNotFound:
        return render.page("errors/400.html", status=status, message=sentence or SENTENCES[400])


def _plain(status: int) -> Response:
    """Words that need nothing: neither a host, nor a template, nor a language."""
    message = SENTENCES.get(status, SENTENCES[400]).message
    response = make_response(f"{status}\n{message}\n", status)
    response.mimetype = "text/plain"
    return response


def _wants_json() -> bool:
    best = request.accept_mimetypes.best_match(["text/html", "application/json"])
    return best == "application/json"
