"""Names are data: shown and sent whole, never a name on disk (B73, B74, B75)."""

from __future__ import annotations

import pytest

from app.content.files.names import MOST_NAME, clean_folder, clean_name, disposition, fitting_name, numbered
from app.content.files.types import JPEG, PDF, PLAIN, PNG
from app.core.errors import Invalid


@pytest.mark.parametrize(
    "name", ["привет.pdf", "日本.docx", "Öffnungszeiten.pdf", "नमस्ते.txt", "می‌خواهم.txt", "👩‍🎨.png"]
)
def test_b73_it_keeps_names_of_every_script(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("CON", "CON"),
        ("aux.txt", "aux.txt"),
        (".htaccess", ".htaccess"),
        ("-rf", "-rf"),
        ("a/b", "b"),
        ("C:\\Users\\anna\\photo.png", "photo.png"),
        ("../../etc/passwd", "passwd"),
        ("a\0b", "ab"),
        ("two\nlines.txt", "twolines.txt"),
        ("cod\u202egnp.exe", "codgnp.exe"),
        ("\u2066left\u2069", "left"),
        ("  spaced   out  ", "spaced out"),
        ("", "unnamed"),
        ("/", "unnamed"),
        ("..", "unnamed"),
        (" . ", "unnamed"),
        ("\u202e", "unnamed"),
        ("\ud800", "unnamed"),
        ("e\u0301.txt", "é.txt"),
    ],
)
def test_b74_it_makes_hostile_names_safe_to_show(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_b74_it_shortens_a_name_of_300_signs_and_keeps_its_ending() -> None:
    name = clean_name("ä" * 300 + ".pdf")
    assert len(name) == MOST_NAME
    assert name.endswith("ä.pdf")
    assert len(clean_name("x" * 300)) == MOST_NAME


def test_it_adds_the_ending_that_fits_the_content() -> None:
    assert fitting_name("photo.PNG", PNG) == "photo.PNG"
    assert fitting_name("photo.jpeg", JPEG) == "photo.jpeg"
    assert fitting_name("photo.png", JPEG) == "photo.png.jpg"
    assert fitting_name("CON", PDF) == "CON.pdf"
    assert fitting_name(".htaccess", PLAIN) == ".htaccess.txt"
    assert len(fitting_name("x" * MOST_NAME, PNG)) == MOST_NAME


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("photo.png", "photo (2).png"),
        ("README", "README (2)"),
        (".htaccess", ".htaccess (2)"),
        ("a.b c d e f g h i", "a.b c d e f g h i (2)"),
    ],
)
def test_b75_it_numbers_the_second_of_a_name(name: str, second: str) -> None:
    assert numbered(name, 2) == second
    assert len(numbered("x" * MOST_NAME, 12)) == MOST_NAME


@pytest.mark.parametrize("name", ['a"; filename=b.exe', "a\r\nSet-Cookie: x=1", "ü.pdf", "100%.pdf"])
def test_b74_nothing_in_a_name_ends_the_header(name: str) -> None:
    header = disposition(name)
    assert header.isascii()
    assert header.startswith("attachment; filename*=UTF-8''")
    assert not set(header.removeprefix("attachment; filename*=UTF-8''")) & set("\r\n\"; ,'")


@pytest.mark.parametrize("given", ["", " ", "..", "/", "\n"])
def test_it_refuses_a_folder_without_a_name(given: str) -> None:
    with pytest.raises(Invalid) as caught:
        clean_folder(given)
    assert "name" in caught.value.fields
    assert clean_folder(" Summer  2026 ") == "Summer 2026"
