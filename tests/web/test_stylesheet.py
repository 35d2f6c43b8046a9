"""The styles in one file mean what they mean in many."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.web.stylesheet import INDEX, NotJoinable, joined
from tests.house.sources import ROOT, files, read

FOLDER = ROOT / "static"


def sheet(folder: Path, words: str, **others: str) -> Path:
    """An index with ``words`` beside files by name."""
    for name, content in others.items():
        (folder / f"{name}.css").write_text(content, encoding="utf-8")
    index = folder / "index.css"
    index.write_text(words, encoding="utf-8")
    return index


def test_it_puts_each_file_into_its_layer_in_the_order_of_the_index(tmp_path: Path) -> None:
    index = sheet(
        tmp_path,
        '/* Index: @import url("no.css") layer(no); */\n@layer a, b;\n@import url("x.css") layer(a);\n'
        '@import url("y.css") layer(b);\n',
        x="p { margin: 0; }\n",
        y="/* why: * ** */\np { margin: 1px; }\n",
    )
    assert joined(index).decode() == (
        '/* Index: @import url("no.css") layer(no); */\n@layer a, b;\n@layer a {\np { margin: 0; }\n}\n\n'
        "@layer b {\n/* why: * ** */\np { margin: 1px; }\n}\n\n"
    )


def test_it_follows_files_that_import_others(tmp_path: Path) -> None:
    index = sheet(
        tmp_path, '@import url("x.css") layer(a);', x='@import url("y.css") layer(inner);', y="p { margin: 0; }\n"
    )
    assert joined(index).decode() == "@layer a {\n@layer inner {\np { margin: 0; }\n}\n}\n"


@pytest.mark.parametrize(
    "words",
    [
        '@import "x.css";',
        '@import url("x.css");',
        '@import url("x.css") layer(a) print;',
        '@import url("https://styles.test/x.css") layer(a);',
        '@import url("../x.css") layer(a);',
        '@charset "utf-8";',
        "@namespace url(http://www.w3.org/1999/xhtml);",
        "p { background: url(x.png); }",
    ],
)
def test_it_refuses_what_would_mean_something_else(tmp_path: Path, words: str) -> None:
    with pytest.raises(NotJoinable):
        joined(sheet(tmp_path, words, x="p { margin: 0; }"))


def test_it_raises_for_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        joined(sheet(tmp_path, '@import url("x.css") layer(a);'))


def test_it_holds_each_rule_of_the_product_once() -> None:
    words = joined(FOLDER / INDEX).decode()
    assert "@import" not in words
    assert words.count("{") == words.count("}")
    own = [path for path in files("static", "*.css") if path.name not in {"app.css", "site.css"}]
    assert len(own) > 30
    assert {path.name: words.count(read(path)) for path in own} == {path.name: 1 for path in own}
