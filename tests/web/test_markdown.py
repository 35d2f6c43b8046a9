"""Markdown of the model and of content: a closed grammar, whatever comes in (I17, B31 to B44)."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from app.core.visible import visible
from app.web.markdown import CUT, MOST_BYTES, TAGS, render_markdown
from tests.support.cost import count_calls

WRAPPER = re.compile(
    r'<div class="prose__scroll" role="group" aria-label="(?:Table|Tabelle) [0-9.,]+" tabindex="0">(?=<table>)'
)
OWN = re.compile(r"/(pages|conversations|workspaces|records/[a-z_]+)/\d+(/history)?|/runs/[0-9a-f-]{36}")
CORPUS = [
    "![a](https://e.test/?d=SECRET)",
    "![a][1]\n\n[1]: https://e.test/?d=SECRET",
    "[![a](https://e.test/x)](https://e.test/y)",
    "| a |\n|---|\n| ![a](https://e.test/x) |",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<b>)",
    "[x](vbscript:x)",
    "[x](//e.test)",
    "[x](\\\\e.test)",
    "[x](HTTPS:e.test)",
    "[x](https://good.test@evil.test/a)",
    "[x](/runs/1/approve)",
    "[x](/runs/00000000-0000-0000-0000-000000000000/approval)",
    "[x](/pages/1/../../sign-out)",
    "[x](/sign-out)",
    "[x](/pages/1?x=1)",
    "[x](/pages/1#x)",
    "[x](?changes=1)",
    "<https://e.test/a>",
    "<a@e.test>",
    "<form action=/approve><button formaction=/x>Approve</button></form>",
    '<div hx-get="/x" data-hx-get="/x" hx-trigger="load">x</div>',
    '<div id="card" hx-swap-oob="true">x</div>',
    '<hx-partial hx-target="#card">x</hx-partial>',
    '<template hx type="partial">x</template>',
    "<title>x</title><base href=//e><meta http-equiv=refresh content=0><link rel=prefetch href=//e>",
    "<svg><use href=//e></svg><math><mi//xlink:href=//e>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!-- x --><style>*{}</style><script>alert(1)</script>",
    '```"><x\ncode\n```',
    "~~~ onload=x\ncode\n~~~",
    "> " * 300 + "x",
    "# H1\n\n### three\n\n#\n\n## two",
    "&lt;script&gt; &#60;script&#62; &amp;",
    "`<table>` <table>",
]


class Grammar(HTMLParser):
    """Collects what is not of the closed grammar."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.foreign.append(tag)
        for name, value in attrs:
            if (tag, name) != ("a", "href") or not OWN.fullmatch(value or ""):
                self.foreign.append(f"{tag} {name}={value}")

    def handle_comment(self, data: str) -> None:
        self.foreign.append("comment")

    def handle_decl(self, decl: str) -> None:
        self.foreign.append("declaration")

    def handle_pi(self, data: str) -> None:
        self.foreign.append("instruction")


def foreign(html: str) -> list[str]:
    """What in ``html`` is neither of the grammar nor one of the constants this module adds."""
    plain = WRAPPER.sub("", html).replace("</table></div>", "</table>").replace('<pre tabindex="0">', "<pre>")
    grammar = Grammar()
    grammar.feed(plain)
    grammar.close()
    return grammar.foreign


def words(source: str) -> str:
    return BeautifulSoup(render_markdown(source), "html5lib").get_text().strip()


@pytest.mark.parametrize("source", CORPUS)
def test_it_stays_in_the_grammar(source: str) -> None:
    assert foreign(render_markdown(source)) == []


ALPHABET = st.sampled_from(
    [*"<>&\"'`[]()!#*_~|-\n\t \\:/.=ab1", "\u202e", "\u200b", "javascript:", "https://e.test", "<div ", "page:1"]
)


@given(st.one_of(st.text(), st.lists(st.one_of(ALPHABET, st.sampled_from(CORPUS)), max_size=30).map("".join)))
def test_it_stays_in_the_grammar_whatever_comes(source: str) -> None:
    """I17"""
    assert foreign(render_markdown(source)) == []


def test_it_notices_what_is_not_of_the_grammar() -> None:
    for html in (
        "<div>x</div>",
        "<p class=x>",
        '<a href="/sign-out">x</a>',
        "<!-- x -->",
        "<pre tabindex=1>",
        "<img src=x>",
    ):
        assert foreign(html), html


@pytest.mark.parametrize("source", CORPUS[:4])
def test_it_words_images(source: str) -> None:
    """B31"""
    assert "image: a" in words(source)
    assert "SECRET" not in render_markdown(source)
    assert words("![](https://e.test)") == "image without a description"


@pytest.mark.parametrize(
    "target", ["/pages/12", "/records/pages/3", "/records/pages/3/history", "/conversations/4", "/workspaces/5"]
)
def test_it_links_to_own_records(target: str) -> None:
    """B34"""
    assert f'<a href="{target}">' in render_markdown(f"[x]({target})")
    assert '<a href="/pages/12">' in render_markdown("[x](page:12)")


def test_it_shows_the_host_of_other_sites() -> None:
    """B33"""
    assert words("[https://good.test](https://evil.test/x)") == "https://good.test (evil.test)"
    assert words("[x](https://good.test@evil.test/a)") == "x (evil.test)"
    assert words("[x](https://\u0435vil.test)") == "x (xn--vil-qdd.test)"
    assert words("<https://e.test/a>") == "https://e.test/a"


def test_it_begins_headings_below_those_of_the_page() -> None:
    """ST-3, T02"""
    html = render_markdown("# One\n\n### Three\n\n###### Six\n\n#\n\n## Two\n\nText\n---\n\n# Again")
    assert re.findall(r"<(h\d)>(.*?)</h\d>", html) == [
        ("h4", "One"),
        ("h5", "Three"),
        ("h6", "Six"),
        ("h5", "Two"),
        ("h5", "Text"),
        ("h4", "Again"),
    ]
    assert re.findall(r"<(h\d)>", render_markdown("### First\n\n# Second")) == ["h4", "h4"]


def test_it_opens_wide_parts_to_the_keyboard() -> None:
    html = render_markdown("| a |\n|---|\n| 1 |\n\n    code\n\n| b |\n|---|\n| 2 |")
    soup = BeautifulSoup(html, "html5lib")
    assert [group["aria-label"] for group in soup.select("[role=group][tabindex='0']")] == ["Table 1", "Table 2"]
    assert all(table.find("th") for table in soup.find_all("table"))
    assert soup.select_one("pre[tabindex='0'] code")


def test_it_collapses_blank_lines() -> None:
    """B42"""
    assert render_markdown("a" + "\n" * 200 + "b") == "<p>a</p>\n<p>b</p>\n"
    assert render_markdown("```\na" + "\n" * 200 + "b\n```").count("\n") < 6


@pytest.mark.parametrize(
    "source",
    [
        *("[" * 20_000, "> " * 300, "![" * 16_000, "[a](" * 8_000, "*a **b " * 4_000),
        *("`" * 32_000, "|a" * 16_000, "\\[" * 16_000),
    ],
)
def test_its_work_grows_no_faster_than_the_text(source: str) -> None:
    """B43, I30"""
    assert foreign(render_markdown(source)) == []
    half = count_calls(lambda: render_markdown(source[: len(source) // 2]))
    whole = count_calls(lambda: render_markdown(source))
    assert whole < 3 * half + 10_000


def test_it_cuts_and_says_so() -> None:
    html = render_markdown("ä" * MOST_BYTES)
    assert CUT.message in html
    assert html.count("ä") == MOST_BYTES // 2


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("rechnung\u202efdp.exe", "rechnung⟨U+202E⟩fdp.exe"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d⟨U+00AD⟩e"),
        ("a\u3164b\U000e0041", "a⟨U+3164⟩b⟨U+E0041⟩"),
        ("a\u2028b\u0085c\rd", "a b c d"),
        ("👩\u200d👩\u200d👧 ❤\ufe0f", "👩\u200d👩\u200d👧 ❤\ufe0f"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("a\u200cb\u200d", "a⟨U+200C⟩b⟨U+200D⟩"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\x1b[31m", "⟨U+001B⟩[31m"),
    ],
)
def test_it_shows_what_hides(typed: str, shown: str) -> None:
    """B45 to B47"""
    assert visible(typed) == shown


def test_it_speaks_the_language_of_the_reader() -> None:
    assert "image: a" in render_markdown("![a](x)", "en")
