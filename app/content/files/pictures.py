"""Pictures: measured before they are stored, and made smaller for pages without what a camera wrote into them (B70).

One picture at a time is unpacked in a process: 40 megapixels take about 160 MB.
"""

from __future__ import annotations

import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from PIL import Image, ImageOps

from app.content.files.storage import Storage
from app.content.files.types import BY_MIME, MOST_PIXELS, FileRefused
from app.core.i18n import text

THUMBNAIL: Final = 480
"""Longest side of a thumbnail in pixels."""
RENDITION_MIME: Final = "image/webp"
_CACHE: Final = Path("cache") / "pictures"
_FORMATS: Final = {
    "image/png": ("PNG",),
    "image/jpeg": ("JPEG", "MPO"),
    "image/gif": ("GIF",),
    "image/webp": ("WEBP",),
}
_MOST_OF_ALL_FRAMES: Final = 10 * MOST_PIXELS
_TURNED: Final = frozenset({5, 6, 7, 8})
_ORIENTATION: Final = 0x0112
_unpacking = threading.Semaphore(1)


def is_picture(mime: str) -> bool:
    """Whether files of this type can be shown as a picture."""
    kind = BY_MIME.get(mime)
    return kind is not None and kind.is_picture


def measure(path: Path, mime: str) -> tuple[int, int]:
    """Width and height as shown, after unpacking the whole picture once.

    Raises ``FileRefused``: more than ``MOST_PIXELS``, broken, or cut off.
    """
    try:
        with _unpacking:
            with Image.open(path, formats=_FORMATS[mime]) as picture:
                _check_size(picture)
                picture.verify()
            with Image.open(path, formats=_FORMATS[mime]) as picture:
                picture.load()
                width, height = picture.size
                turned = picture.getexif().get(_ORIENTATION) in _TURNED
    except FileRefused:
        raise
    except Image.DecompressionBombError as error:
        raise _too_many() from error
    except Exception as error:  # decoders raise whatever they stumble over; a picture that raises is not stored
        raise FileRefused("broken", text("The picture is damaged or not complete. Save it again.")) from error
    return (height, width) if turned else (width, height)


def rendition(data_folder: Path, storage: Storage, sha256: str, mime: str, longest: int = THUMBNAIL) -> Path | None:
    """A WebP of the stored picture with no side above ``longest``, without its metadata; made once and kept in a cache.

    None for what is no picture, or cannot be read (any more).
    """
    if not is_picture(mime):
        return None
    place = rendition_place(data_folder, sha256, longest)
    if place.is_file():
        return place
    try:
        with _unpacking:
            _make(storage.place(sha256), mime, place, longest)
    except Exception:  # as above; the page shows the name of the file instead
        return None
    return place


def rendition_place(data_folder: Path, sha256: str, longest: int = THUMBNAIL) -> Path:
    """Where a smaller picture lies, whether or not it was made."""
    return data_folder / _CACHE / sha256[:2] / f"{sha256}-{longest}.webp"


def forget_renditions(data_folder: Path, sha256: str) -> None:
    """Remove the smaller pictures of bytes that are gone."""
    for path in (data_folder / _CACHE / sha256[:2]).glob(f"{sha256}-*.webp"):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _make(source: Path, mime: str, place: Path, longest: int) -> None:
    with Image.open(source, formats=_FORMATS[mime]) as opened:
        _check_size(opened)
        opened.draft("RGB", (longest, longest))
        picture = ImageOps.exif_transpose(opened)
        picture.thumbnail((longest, longest))
        plain = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    bare = Image.new(plain.mode, plain.size)
    bare.paste(plain)  # nothing but pixels goes along: neither place nor camera nor colour profile
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        bare.save(part, format="WEBP", quality=82, method=4)
        os.replace(part, place)
    finally:
        part.unlink(missing_ok=True)


def _check_size(picture: Image.Image) -> None:
    width, height = picture.size
    frames = int(getattr(picture, "n_frames", 1))
    if width * height > MOST_PIXELS or width * height * frames > _MOST_OF_ALL_FRAMES:
        raise _too_many()


def _too_many() -> FileRefused:
    sentence = text("The picture has more than %(most)s megapixels. Make it smaller.", most=MOST_PIXELS // 1_000_000)
    return FileRefused("too_many_pixels", sentence)
