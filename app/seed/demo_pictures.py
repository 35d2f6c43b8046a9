"""Pictures of the demo, drawn from simple shapes: the same bytes on every machine with the same picture library."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from PIL import Image, ImageDraw

_SIZE = (640, 400)
_SKY, _RIVER, _PAPER = "#e7f0fa", "#0a4699", "#fff3d1"
_DARK, _RED, _GREEN, _WHITE = "#07336f", "#8a1a12", "#0d4a2c", "#ffffff"


@cache
def picture(path: str) -> bytes:
    """The PNG for a file of the demo. Raises ``KeyError`` for a path the demo does not have."""
    image = Image.new("RGB", _SIZE, _SKY)
    _DRAWN[path](ImageDraw.Draw(image))
    target = io.BytesIO()
    image.quantize(16).save(target, format="PNG", optimize=True)
    return target.getvalue()


def _river(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 290, 640, 400), fill=_RIVER)
    for left in range(20, 640, 110):
        draw.line((left, 340, left + 60, 340), fill=_SKY, width=4)


def _ferry(draw: ImageDraw.ImageDraw) -> None:
    _river(draw)
    draw.polygon([(150, 260), (500, 260), (450, 320), (200, 320)], fill=_PAPER, outline=_DARK, width=4)
    draw.rectangle((250, 190, 410, 260), fill=_WHITE, outline=_DARK, width=4)
    draw.polygon([(230, 190), (430, 190), (330, 140)], fill=_RED)


def _house(draw: ImageDraw.ImageDraw) -> None:
    _river(draw)
    draw.rectangle((200, 140, 440, 300), fill=_PAPER, outline=_DARK, width=4)
    draw.polygon([(180, 140), (460, 140), (320, 50)], fill=_RED)
    for left in (230, 300, 370):
        draw.rectangle((left, 180, left + 40, 230), fill=_DARK)
    draw.rectangle((300, 250, 340, 300), fill=_GREEN)


def _opening(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 0, 640, 400), fill=_PAPER)
    draw.rectangle((240, 60, 400, 360), fill=_DARK)
    draw.rectangle((260, 90, 380, 360), fill=_SKY)
    for left in (90, 150, 450, 520):
        draw.ellipse((left, 200, left + 40, 240), fill=_RED)
        draw.rectangle((left - 5, 240, left + 45, 360), fill=_GREEN)


def _poster(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 0, 640, 400), fill=_RIVER)
    draw.ellipse((420, 40, 540, 160), fill=_PAPER)
    for left, bottom in ((80, 330), (260, 290), (430, 350)):
        draw.polygon(
            [(left, bottom), (left + 130, bottom), (left + 100, bottom + 35), (left + 30, bottom + 35)], fill=_RED
        )
        draw.polygon([(left + 65, bottom - 110), (left + 65, bottom - 10), (left + 120, bottom - 10)], fill=_WHITE)


_DRAWN: Mapping[str, Callable[[ImageDraw.ImageDraw], None]] = MappingProxyType(
    {
        "/editorial/ferry.png": _ferry,
        "/editorial/poster.png": _poster,
        "/press/house.png": _house,
        "/press-archive/opening.png": _opening,
    }
)
