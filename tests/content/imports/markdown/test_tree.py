from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.content.imports.markdown import ReportKind, SourcePage, SourceTree, iter_files, read_tree
from app.core.i18n import render

SITE = Path(__file__).resolve().parents[3] / "fixtures" / "markdown_site"


def write(directory: Path, name: str, body: str | bytes = "---\ntitle: A\n---\n") -> None:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body if isinstance(body, bytes) else body.encode())


def page(tree: SourceTree, key: str) -> SourcePage:
    return next(found for found in tree.pages if found.key == key)


def reported(tree: SourceTree, kind: ReportKind) -> list[tuple[str, object]]:
    return [(entry.path, entry.detail) for entry in tree.report if entry.kind is kind]


@pytest.fixture(scope="module")
def site() -> SourceTree:
    return read_tree(SITE, ["en", "de"])


def test_it_makes_pages_as_in_the_folders_parents_first_and_by_weight(site: SourceTree) -> None:
    assert [(found.key, found.parent_key) for found in site.pages] == [
        ("", None),
        ("about", ""),
        ("articles", ""),
        ("articles/teaser", "articles"),
    ]


def test_it_reads_the_front_matter_in_yaml_and_toml(site: SourceTree) -> None:
    articles, teaser = page(site, "articles"), page(site, "articles/teaser")
    assert (articles.weight, articles.date, articles.draft) == (20, 1714564800, False)
    assert (teaser.weight, teaser.date, teaser.draft) == (10, None, True)
    assert page(site, "").translations["en"].description == "All about beds."


def test_it_puts_the_default_language_first_and_connects_the_other_by_position(site: SourceTree) -> None:
    texts = page(site, "articles/teaser").translations
    assert list(texts) == ["en", "de"]
    assert [section.partner_index for section in texts["de"].sections] == [0, 1, 2, None]
    assert [section.key for section in texts["de"].sections] == [
        "articles/teaser#1",
        "articles/teaser#2-teaser-text",
        "articles/teaser#3-setext-heading",
        "articles/teaser#4-nur-auf-deutsch",
    ]


def test_it_does_not_shift_partners_when_only_one_language_has_an_introduction(tmp_path: Path) -> None:
    write(tmp_path, "a.en.md", "---\ntitle: A\n---\nIntro\n\n## One\n\nx\n")
    write(tmp_path, "a.de.md", "---\ntitle: A\n---\n## Eins\n\nx\n")
    write(tmp_path, "b.en.md", "---\ntitle: B\n---\n## One\n\nx\n")
    write(tmp_path, "b.de.md", "---\ntitle: B\n---\nIntro\n\n## Eins\n\nx\n")
    tree = read_tree(tmp_path, ["en", "de"])
    assert [section.partner_index for section in page(tree, "a").translations["de"].sections] == [1]
    assert [section.partner_index for section in page(tree, "b").translations["de"].sections] == [None, 0]


def test_it_reports_what_was_skipped_missing_and_unknown(site: SourceTree) -> None:
    assert reported(site, ReportKind.SKIPPED_NO_LANGUAGE) == [("NOTES.md", "")]
    assert reported(site, ReportKind.MISSING_DEFAULT_LANGUAGE) == [("only-german.de.md", "")]
    assert reported(site, ReportKind.MISSING_IMAGE) == [("articles/teaser.en.md", "images/gone.png")]
    assert reported(site, ReportKind.UNKNOWN_SHORTCODE) == [("articles/teaser.en.md", "gallery")]
    assert reported(site, ReportKind.UNRESOLVED_LINK) == []


def test_it_says_every_entry_as_a_sentence(site: SourceTree) -> None:
    words = [render(entry.sentence(), "en") for entry in site.report]
    assert "NOTES.md was skipped: its name has none of the chosen languages." in words
    assert "articles/teaser.en.md shows the image images/gone.png, which could not be used." in words


def test_it_lists_children_with_links_and_descriptions(tmp_path: Path) -> None:
    write(tmp_path, "_index.en.md", '---\ntitle: R\n---\n{{% children description="true" %}}\n')
    write(tmp_path, "b.en.md", "---\ntitle: B [1]\ndescription: Second\nweight: 2\n---\n")
    write(tmp_path, "a.en.md", "---\ntitle: Last\n---\n")
    write(tmp_path, "c d.en.md", "---\ntitle: C\nweight: 1\n---\n")
    write(tmp_path, "h.en.md", "---\ntitle: H\nhidden: true\n---\n")
    write(tmp_path, "w.en.md", "---\ntitle: W\ndraft: true\n---\n")
    body = page(read_tree(tmp_path, ["en"]), "").translations["en"].sections[0].body
    assert body == "- [C](page:c%20d)\n- [B \\[1\\]](page:b): Second\n- [Last](page:a)"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"---\ntitle: \xff\n---\n", "It is not valid UTF-8."),
        (b"---\ntitle: [\n---\n", "Its front matter is not valid."),
        (b"---\ntitle: 2024-99-99\n---\n", "Its front matter is not valid."),
        (b"+++\ntitle = \n+++\n", "Its front matter is not valid."),
        (b"---\ntitle: A\n", "Its front matter is not closed."),
        (b"---\ntitle: A\n---\nx\0y", "It has characters that are not text."),
        (b'---\ntitle: "\\0"\n---\n', "It has characters that are not text."),
        (b'---\ntitle: "\\uD800"\n---\n', "Its front matter is not valid."),
        (b"\xed\xa0\x80", "It is not valid UTF-8."),
        (b"a" * 2_000_001, "It is larger than 2 MB."),
        (b"---\na: " + b"[" * 5000 + b"\n---\n", "Its front matter is not valid."),
    ],
)
def test_it_reports_a_broken_file_and_goes_on(tmp_path: Path, content: bytes, reason: str) -> None:
    write(tmp_path, "_index.en.md")
    write(tmp_path, "bad.en.md", content)
    write(tmp_path, "good.en.md")
    tree = read_tree(tmp_path, ["en"])
    assert [found.key for found in tree.pages] == ["", "good"]
    assert [render(entry.sentence(), "en") for entry in tree.report] == [f"bad.en.md could not be read. {reason}"]


def test_it_names_a_folder_without_index_after_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "_index.en.md")
    write(tmp_path, "site-structure/deep/page.en.md")
    tree = read_tree(tmp_path, ["en"])
    assert [found.key for found in tree.pages] == [
        "",
        "site-structure",
        "site-structure/deep",
        "site-structure/deep/page",
    ]
    assert page(tree, "site-structure").translations["en"].title == "Site structure"
    assert reported(tree, ReportKind.MISSING_INDEX) == [
        ("site-structure/deep", "Deep"),
        ("site-structure", "Site structure"),
    ]


def test_it_makes_a_section_page_when_its_index_is_broken(tmp_path: Path) -> None:
    write(tmp_path, "_index.en.md")
    write(tmp_path, "part/_index.en.md", "---\n")
    write(tmp_path, "part/page.en.md")
    tree = read_tree(tmp_path, ["en"])
    assert [found.key for found in tree.pages] == ["", "part", "part/page"]
    assert [entry.kind for entry in tree.report] == [ReportKind.BROKEN_FILE, ReportKind.MISSING_INDEX]


def test_it_reports_two_files_for_one_page(tmp_path: Path) -> None:
    write(tmp_path, "_index.en.md")
    write(tmp_path, "a.en.md")
    write(tmp_path, "a/_index.en.md")
    tree = read_tree(tmp_path, ["en"])
    assert len(tree.pages) == 2
    assert [entry.kind for entry in tree.report] == [ReportKind.BROKEN_FILE]


def test_it_never_leaves_the_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    write(outside, "secret.en.md", "---\ntitle: Secret\n---\n")
    (outside / "secret.png").write_bytes((SITE / "static/images/dot.png").read_bytes())
    write(
        inside, "_index.en.md", "---\ntitle: R\n---\n![a](../out/secret.png) ![b](link.png) ![c](/../../out/secret.png)"
    )
    (inside / "linked.en.md").symlink_to(outside / "secret.en.md")
    (inside / "link.png").symlink_to(outside / "secret.png")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    tree = read_tree(inside, ["en"])
    assert [found.key for found in tree.pages] == [""]
    assert page(tree, "").translations["en"].sections[0].images == ()
    assert [entry.path for entry in tree.report if entry.kind is ReportKind.BROKEN_FILE] == ["linked.en.md"]
    assert len(reported(tree, ReportKind.MISSING_IMAGE)) == 3


def test_it_does_not_wait_for_a_named_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.en.md")
    tree = read_tree(tmp_path, ["en"])
    assert tree.pages == ()
    assert [entry.kind for entry in tree.report] == [ReportKind.BROKEN_FILE]


def test_it_reports_a_name_that_is_no_text(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/\xff.en.md", "wb") as file:
        file.write(b"x")
    tree = read_tree(tmp_path, ["en"])
    assert [entry.path for entry in tree.report] == ["\\xff.en.md"]


def test_it_keeps_the_page_when_only_its_body_is_nested_too_deeply(tmp_path: Path) -> None:
    write(tmp_path, "_index.en.md", "---\ntitle: R\n---\n" + "{{% expand %}}" * 60 + "{{% /expand %}}" * 60)
    tree = read_tree(tmp_path, ["en"])
    assert [found.key for found in tree.pages] == [""]
    assert [entry.kind for entry in tree.report] == [ReportKind.BROKEN_FILE]


def test_it_calls_back_once_for_each_file(tmp_path: Path) -> None:
    seen: list[Path] = []
    read_tree(SITE, ["en", "de"], seen.append)
    assert seen == list(iter_files(SITE))
    assert len(seen) == 9


def test_it_takes_the_languages_given_only() -> None:
    tree = read_tree(SITE, ["de"])
    assert [found.key for found in tree.pages] == ["", "articles", "articles/teaser", "only-german"]
    assert page(tree, "articles/teaser").translations.keys() == {"de"}


def test_it_gives_equal_values_and_hashes_each_time_and_another_hash_after_a_change(tmp_path: Path) -> None:
    write(tmp_path, "_index.en.md", "---\ntitle: R\n---\none\n")
    first = read_tree(tmp_path, ["en"])
    assert first == read_tree(tmp_path, ["en"])
    write(tmp_path, "_index.en.md", "---\ntitle: R\n---\ntwo\n")
    changed = read_tree(tmp_path, ["en"])
    assert changed.pages[0].translations["en"].content_hash != first.pages[0].translations["en"].content_hash


def test_it_refuses_to_read_without_a_language_or_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="language"):
        read_tree(tmp_path, [])
    with pytest.raises(NotADirectoryError):
        read_tree(tmp_path / "absent", ["en"])
