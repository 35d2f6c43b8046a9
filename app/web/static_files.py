"""Addresses of static files that browsers may keep for good: each carries a hash of what it answers.

A script stands below the hash of the whole folder of scripts, because modules name each other by relative addresses.
"""

from __future__ import annotations

import re
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, current_app, request, send_file

from app.core import canonical
from app.web import stylesheet

SCRIPTS: Final = "js/"
YEAR: Final = 31_536_000
_VERSIONED = re.compile(r"(?P<version>[0-9a-f]{16})/(?P<filename>js/.+)")


def install(app: Flask) -> None:
    """Serve static files with lasting addresses; the styles are joined now, so that a mistake in them ends the start."""
    stylesheet.joined(_folder(app) / stylesheet.INDEX)
    app.view_functions["static"] = serve
    app.url_defaults(add_version)


def serve(filename: str) -> Response:
    """A static file; 404 for one that is missing. Public by nature: what lies there is the same for everybody."""
    if filename == stylesheet.INDEX:
        words = stylesheet.joined(_folder(current_app) / filename)
        return send_file(BytesIO(words), mimetype="text/css", etag=static_version(filename))
    found = _VERSIONED.fullmatch(filename)
    return current_app.send_static_file(found["filename"] if found else filename)


def add_version(endpoint: str, values: dict[str, Any]) -> None:
    """Put the hash into an address that is being built; a file that is missing gets none."""
    if endpoint != "static" or "v" in values:
        return
    filename = str(values.get("filename", ""))
    version = static_version(filename)
    if version and filename.startswith(SCRIPTS):
        values["filename"] = f"{version}/{filename}"
    elif version:
        values["v"] = version


def cache_rule(response: Response) -> str:
    """The ``Cache-Control`` of a static answer: for good when its address holds the hash it has now."""
    filename = str((request.view_args or {}).get("filename", ""))
    found = _VERSIONED.fullmatch(filename)
    asked = found["version"] if found else request.args.get("v")
    is_fixed = asked == static_version(found["filename"] if found else filename)
    return f"public, max-age={YEAR}, immutable" if is_fixed and response.status_code in {200, 304} else "no-cache"


def static_version(filename: str) -> str:
    """A short hash of what a static address answers; empty when there is no such file."""
    folder = _folder(current_app)
    if filename.startswith(SCRIPTS):
        scripts = tuple((path, path.stat().st_mtime_ns) for path in sorted((folder / SCRIPTS).glob("*.js")))
        return _hash_of_all(scripts) if (folder / filename).is_file() else ""
    if filename == stylesheet.INDEX:
        return _hash_of_styles(folder / filename)
    path = folder / filename
    try:
        return _hash_of(path, path.stat().st_mtime_ns)
    except OSError:
        return ""


@lru_cache(maxsize=512)
def _hash_of(path: Path, _changed: int) -> str:
    return _short(path.read_bytes())


@lru_cache(maxsize=4)
def _hash_of_all(files: tuple[tuple[Path, int], ...]) -> str:
    return _short(b"".join(path.name.encode() + path.read_bytes() for path, _changed in files))


@lru_cache(maxsize=4)
def _hash_of_styles(index: Path) -> str:
    return _short(stylesheet.joined(index))


def _short(content: bytes) -> str:
    return canonical.sha256(content.hex())[:16]


def _folder(app: Flask) -> Path:
    return Path(app.static_folder or "")
