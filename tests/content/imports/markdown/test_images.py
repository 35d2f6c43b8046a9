from __future__ import annotations

from pathlib import Path

import pytest

from app.content.imports.markdown.images import ImageFinder, sniff_mime

PNG = Path(__file__).resolve().parents[3] / "fixtures" / "markdown_site" / "static" / "images" / "dot.png"


@pytest.mark.parametrize(
    ("content", "mime"),
    [
        (PNG.read_bytes(), "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b'<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        (b"<html><svg>", None),
        (b"<!-- -->" * 500, None),
        (b"MZ", None),
        (b"", None),
    ],
)
def test_it_knows_pictures_by_their_content(content: bytes, mime: str | None) -> None:
    assert sniff_mime(content) == mime


def test_it_looks_next_to_the_file_then_in_the_folder_then_in_static(tmp_path: Path) -> None:
    for place in ("part/near.png", "root.png", "static/images/far.png"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(PNG.read_bytes())
    finder = ImageFinder(tmp_path)
    found = {
        target: getattr(finder.find(target, "part/page.en.md", "a"), "path", None)
        for target in (
            "near.png",
            "../root.png",
            "root.png?x=1",
            "/images/far.png#y",
            "/near.png",
            "none.png",
            "",
            "%00",
        )
    }
    assert found == {
        "near.png": "part/near.png",
        "../root.png": "root.png",
        "root.png?x=1": "root.png",
        "/images/far.png#y": "static/images/far.png",
        "/near.png": None,
        "none.png": None,
        "": None,
        "%00": None,
    }


def test_it_takes_no_file_that_only_has_the_name_of_a_picture(tmp_path: Path) -> None:
    (tmp_path / "fake.png").write_text("<script>")
    assert ImageFinder(tmp_path).find("fake.png", "_index.en.md", "") is None
