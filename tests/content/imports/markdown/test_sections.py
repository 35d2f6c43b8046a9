from __future__ import annotations

from pathlib import Path

import pytest

from app.content.imports.markdown import ReportKind, SourceSection, SourceTree, read_tree

SITE = Path(__file__).resolve().parents[3] / "fixtures" / "markdown_site"


def read(tmp_path: Path, body: str, language: str = "en") -> SourceTree:
    (tmp_path / f"_index.{language}.md").write_text(f"---\ntitle: R\n---\n{body}", encoding="utf-8")
    return read_tree(tmp_path, [language])


def sections(tmp_path: Path, body: str, language: str = "en") -> tuple[SourceSection, ...]:
    return read(tmp_path, body, language).pages[0].translations[language].sections


def body(tmp_path: Path, source: str, language: str = "en") -> str:
    (section,) = sections(tmp_path, source, language)
    return section.body


def test_it_splits_the_fixture_at_atx_and_setext_headings_only() -> None:
    tree = read_tree(SITE, ["en", "de"])
    teaser = next(page for page in tree.pages if page.key == "articles/teaser").translations["en"].sections
    assert [section.header for section in teaser] == ["", "Teaser text", "Setext heading"]
    assert teaser[1].body == (
        "> **Tip**\n>\n> Keep it *short*.\n>\n> ## Not a section\n\n"
        "![A dot](image:static/images/dot.png) and ![gone](images/gone.png).\n\n"
        "See [articles](page:articles#kinds) and [home](page:)."
    )
    assert teaser[2].body == (
        "```twig\n## not a heading\n{{% notice tip %}}\n```\n\n"
        'Since 5.3: (from version 5.3) {{< gallery dir="a" >}}{{< gallery dir="b" >}}'
    )


def test_it_describes_a_picture_by_its_content() -> None:
    tree = read_tree(SITE, ["en", "de"])
    teaser = next(page for page in tree.pages if page.key == "articles/teaser").translations["en"].sections
    (image,) = teaser[1].images
    dot = SITE / "static/images/dot.png"
    assert (image.path, image.alt, image.mime) == ("static/images/dot.png", "A dot", "image/png")
    assert (image.source, image.size, len(image.sha256)) == (dot, dot.stat().st_size, 64)


@pytest.mark.parametrize(
    ("source", "headers"),
    [
        ("", []),
        ("Only text", [""]),
        ("## A\n\n### B\n\n## C", ["A", "C"]),
        ("### A\n\n## B\n\n# C", ["", "C"]),
        ("Intro\n\n### A\n\n#### B", ["", "A"]),
        ("## *A* `b` [c](http://x) {#id}", ["A b c"]),
        ("## A\n{{% expand %}}\n## B\n{{% /expand %}}\n## C", ["A", "C"]),
        ("## A\n{{% unknown %}}\n## B\n{{% /unknown %}}\n## C", ["A", "C"]),
        ("## A\n~~~\n## B\n~~~\n> ## C\n\n- ## D", ["A"]),
        ('## A {{< version-tag "5.3" >}}', ["A (from version 5.3)"]),
    ],
)
def test_it_makes_one_element_per_heading_of_the_top_level(tmp_path: Path, source: str, headers: list[str]) -> None:
    assert [section.header for section in sections(tmp_path, source)] == headers


def test_it_keeps_link_definitions_with_every_section_that_uses_them(tmp_path: Path) -> None:
    first, last = sections(tmp_path, '## A\n\n[x][Ref]\n\n## B\n\n[Ref]: https://a.example/ "T"\n')
    assert first.body == '[x][Ref]\n\n[ref]: https://a.example/ "T"'
    assert last.body == '[Ref]: https://a.example/ "T"'


def test_it_removes_anchors_behind_lower_headings(tmp_path: Path) -> None:
    assert sections(tmp_path, "## A\n\n### B {#b}\n\ntext {#c}")[0].body == "### B\n\ntext {#c}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{% notice note %}}\nA\n\nB\n{{% /notice %}}\nC", "> **Note**\n>\n> A\n>\n> B\n\nC"),
        ('{{%notice "warning" "Mind"%}}A{{%/notice%}}', "> **Warning: Mind**\n>\n> A"),
        ("{{% notice purple %}}A{{% /notice %}}", "> **purple**\n>\n> A"),
        ("- x\n\n  {{% notice tip %}}\n  A\n  {{% /notice %}}\n- y", "- x\n\n  > **Tip**\n  >\n  > A\n\n- y"),
        ("| a {{% notice tip %}}\nA\n{{% /notice %}} |", "| a **Tip:** A |"),
        ('{{%expand "More"%}}\nA\n{{% /expand %}}', "**More**\n\nA"),
        ("{{% expand %}}A{{% /expand %}}", "**Details**\n\nA"),
        ('{{% faq "Why?" %}}\nA\n{{% /faq %}}\n{{% faq "How?" %}}\nB\n{{% /faq %}}', "**Why?**\n\nA\n\n**How?**\n\nB"),
        (
            '{{< tabs groupid="x" >}}\n{{% tab title="`P`" %}}\n```\n## a\n```\n{{% /tab %}}\n'
            '{{% tab name="Q" %}}\nB\n{{% /tab %}}\n{{</tabs>}}',
            "**`P`**\n\n```\n## a\n```\n\n**Q**\n\nB",
        ),
        ("{{% example %}}A{{% /example %}}", "**Example**\n\nA"),
        ("{{< mermaid >}}\na-->b\n{{< /mermaid >}}", "```mermaid\na-->b\n```"),
        ("{{< mermaid >}}\na ``` b\n{{< /mermaid >}}", "````mermaid\na ``` b\n````"),
        ('{{< version "5.3" >}}', "(from version 5.3)"),
        ('{{< version "Manager 1.9" >}}', "(from Manager 1.9)"),
        ('{{< version-tag "no longer available" >}}', "(no longer available)"),
        ('Press {{< accesskey "s" >}}', "Press access key S"),
        ('{{% siteparam "currentVersion" %}}', "(current Version)"),
        ('`{{% siteparam "currentVersion" %}}.x`', "`currentVersion.x`"),
        ('```\n{{% siteparam "currentVersion" %}}\n```', "```\ncurrentVersion\n```"),
        ("{{</* notice */>}}", "{{< notice >}}"),
        ("a {{ twig }} {% block %} {{file::*}}", "a {{ twig }} {% block %} {{file::*}}"),
    ],
)
def test_it_turns_shortcodes_into_readable_text(tmp_path: Path, source: str, expected: str) -> None:
    tree = read(tmp_path, source)
    assert tree.pages[0].translations["en"].sections[0].body == expected
    assert tree.report == ()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{% notice note %}}A{{% /notice %}}", "> **Hinweis**\n>\n> A"),
        ("{{% notice warning %}}A{{% /notice %}}", "> **Warnung**\n>\n> A"),
        ('{{< version-tag "5.3" >}}', "(ab Version 5.3)"),
        ('{{< version "Manager 1.9" >}}', "(ab Manager 1.9)"),
        ("{{% example %}}A{{% /example %}}", "**Beispiel**\n\nA"),
    ],
)
def test_it_speaks_the_language_of_the_file(tmp_path: Path, source: str, expected: str) -> None:
    assert body(tmp_path, source, "de") == expected


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('{{< gallery dir="a b" >}} {{< gallery >}}', ["gallery"]),
        ("{{< box >}}\ninner\n{{< /box >}}", ["box"]),
        ("{{% /notice %}}", ["/notice"]),
        ("{{% notice tip %}}\nnever closed", ["notice"]),
        ("```\n{{< gallery >}}\n```", ["gallery"]),
    ],
)
def test_it_keeps_unknown_and_unclosed_shortcodes_and_reports_each_name_once(
    tmp_path: Path, source: str, names: list[str]
) -> None:
    tree = read(tmp_path, source)
    assert tree.pages[0].translations["en"].sections[0].body == source
    assert [entry.detail for entry in tree.report if entry.kind is ReportKind.UNKNOWN_SHORTCODE] == names


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('[a]({{< relref "part/page" >}})', "[a](page:part/page)"),
        ('[a]({{< relref "/part/" >}}#x)', "[a](page:part#x)"),
        ('[a]({{% relref "page.en.md#x" %}})', "[a](page:part/page#x)"),
        ('[a]({{% relref path="part/_index.md" %}})', "[a](page:part)"),
        ('{{< relref "page" >}}', "[Page](page:part/page)"),
        ('<a href="{{< relref "page" >}}">x</a>', '<a href="page:part/page">x</a>'),
        ('[a]({{< relref "#here" >}})', "[a](#here)"),
        ("[a](/en/part/page/) [b](/EN/address/#x)", "[a](page:part/page) [b](page:part/page#x)"),
        ("[a](/old/)", "[a](page:part/page)"),
        ("[a](part/page.en.md)", "[a](page:part/page)"),
        ("[a][r]\n\n[r]: /address/", "[a][r]\n\n[r]: page:part/page"),
        ("`[a](/address/)`\n\n```\n[a](/address/)\n```", None),
        ("[a](https://x.example/address/) [b](mailto:a@b.example) [c](//h/address/) [d](#address)", None),
    ],
)
def test_it_points_links_at_pages(tmp_path: Path, source: str, expected: str | None) -> None:
    part = tmp_path / "part"
    part.mkdir()
    (part / "_index.en.md").write_text("---\ntitle: Part\n---\n")
    (part / "page.en.md").write_text("---\ntitle: Page\nurl: /address/\naliases: [/en/old/]\n---\n")
    tree = read(tmp_path, source)
    assert tree.pages[0].translations["en"].sections[0].body == (source if expected is None else expected)
    assert tree.report == ()


def test_it_reports_links_that_lead_nowhere_and_keeps_their_text(tmp_path: Path) -> None:
    tree = read(tmp_path, '[a]({{< relref "gone" >}}) [b](/en/gone/too/) [c]({{% asset "x.pdf" %}})')
    assert tree.pages[0].translations["en"].sections[0].body == "[a](gone) [b](/en/gone/too/) [c](x.pdf)"
    assert [(entry.kind, entry.detail) for entry in tree.report] == [
        (ReportKind.UNRESOLVED_LINK, "gone"),
        (ReportKind.UNRESOLVED_LINK, "/en/gone/too/"),
        (ReportKind.UNRESOLVED_LINK, "x.pdf"),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("![a](https://x.example/a.png)", "[a](https://x.example/a.png)"),
        ('![](//x.example/a.png "T")', "[//x.example/a.png](//x.example/a.png)"),
        ("[![a](https://x.example/a.png)](https://b.example)", "[a](https://b.example)"),
    ],
)
def test_it_keeps_remote_pictures_as_links(tmp_path: Path, source: str, expected: str) -> None:
    tree = read(tmp_path, source)
    assert tree.pages[0].translations["en"].sections[0].body == expected
    assert tree.report == ()


def test_it_survives_signs_that_look_like_its_own_tokens(tmp_path: Path) -> None:
    assert body(tmp_path, 'shortcodei0z shortcodeb0z {{< version "1" >}}') == (
        "shortcodei0z shortcodeb0z (from version 1)"
    )
