"""A WordPress export comes in whole, safely and once (B76)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy import text as sql

from app.content.imports.outcome import ImportResult, ImportTarget
from app.content.imports.wordpress import import_wordpress, read_items, read_wxr, source_of
from app.content.imports.writing import find_parent
from app.content.schema import REGISTRY
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock as core_clock
from app.core.db import reading, transaction
from app.core.errors import Invalid
from app.core.i18n import render
from app.seed.installation import seed_actor
from tests.support.clock import FakeClock

EXPORTS = Path(__file__).resolve().parents[4] / "shared" / "data" / "wordpress"
THEME, BLOCKS = EXPORTS / "themeunittestdata.wordpress.xml", EXPORTS / "block-test-data.xml"
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel>
<title>Old</title><link>https://old.example</link><wp:wxr_version>1.2</wp:wxr_version>
<wp:base_blog_url>https://old.example</wp:base_blog_url>"""
GERMAN = "https://old.example/wp-content/uploads/2020/01/harbour.jpg"


def item(number: int, kind: str = "page", title: str = "", content: str = "", **values: object) -> str:
    fields = {
        "wp:post_id": number,
        "wp:post_type": kind,
        "wp:status": "publish",
        "wp:post_date_gmt": "2020-01-01 10:00:00",
        "link": f"https://old.example/{kind}-{number}/",
        **values,
    }
    inside = "".join(f"<{name}><![CDATA[{value}]]></{name}>" for name, value in fields.items())
    body = f"<content:encoded><![CDATA[{content}]]></content:encoded>"
    return f"<item><title><![CDATA[{title or f'T{number}'}]]></title>{body}{inside}</item>"


class Importer:
    """Imports export files below the root page of the demo."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with reading() as connection:
            self.parent = find_parent(connection, None)

    def file(self, *items: str) -> Path:
        path = self.folder / "export.xml"
        path.write_text(HEAD + "".join(items) + "</channel></rss>", encoding="utf-8")
        return path

    def __call__(self, path: Path) -> ImportResult:
        export = read_wxr(path)
        target = ImportTarget(
            actor=seed_actor(main_group_id=1),
            parent_uid=self.parent,
            languages={"en": 0},
            storage_id=1,
            files_folder=self.folder / "files",
            source=source_of(export),
        )
        return import_wordpress(read_items(export, "en"), target)

    def take(self, *items: str) -> ImportResult:
        return self(self.file(*items))

    def rows(self, table: str, **equal: Any) -> list[dict[str, Any]]:
        columns = REGISTRY[table].table
        conditions = [columns.c[name] == value for name, value in equal.items()]
        with reading() as connection:
            query = select(columns).where(columns.c.import_key != "", *conditions).order_by(columns.c.uid)
            return [dict(row) for row in connection.execute(query).mappings()]

    def row(self, table: str, **equal: Any) -> dict[str, Any]:
        found = self.rows(table, **equal)
        assert len(found) == 1, (table, equal, found)
        return found[0]

    def body(self, title: str) -> str:
        page = self.row("pages", title=title)["uid"]
        rows = sorted(self.rows("content_elements", pid=page), key=lambda row: row["sorting"])
        return "\n\n".join(f"[{row['header']}] {row['body']}".strip() for row in rows)


@pytest.fixture
def importer(app: Flask, clock: FakeClock, tmp_path: Path) -> Importer:
    return Importer(tmp_path)


def sentences(result: ImportResult) -> list[str]:
    return [render(note.sentence, "en") for note in result.notes]


def numbers(result: ImportResult) -> tuple[int, int, int, int]:
    return result.created, result.updated, result.unchanged, result.failed


def test_it_puts_pages_below_each_other_and_posts_below_one_page(importer: Importer) -> None:
    result = importer.take(
        item(3, title="Child", **{"wp:post_parent": 1}),
        item(1, title="Second", **{"wp:menu_order": 2}),
        item(2, title="First", **{"wp:menu_order": 1}),
        item(7, "post", "Old news"),
        item(8, "post", "News", **{"wp:post_date_gmt": "2021-01-01 10:00:00"}),
    )
    assert result.failed == 0
    places = {row["title"]: row["pid"] for row in importer.rows("pages")}
    uids = {row["title"]: row["uid"] for row in importer.rows("pages")}
    assert places == {
        "First": importer.parent,
        "Second": importer.parent,
        "Posts": importer.parent,
        "Child": uids["Second"],
        "News": uids["Posts"],
        "Old news": uids["Posts"],
    }
    order = [row["title"] for row in sorted(importer.rows("pages"), key=lambda row: row["sorting"])]
    assert order.index("First") < order.index("Second") < order.index("Posts")
    assert order.index("News") < order.index("Old news")


@pytest.mark.parametrize("status", ["draft", "pending", "private", "anything"])
def test_it_hides_what_was_not_public(importer: Importer, status: str) -> None:
    importer.take(
        item(1, title="Closed", **{"wp:status": status}),
        item(2, title="Secret", **{"wp:post_password": "x"}),
        item(3, title="Later", **{"wp:status": "future", "wp:post_date_gmt": "2099-01-01 00:00:00"}),
        item(4, title="Bin", **{"wp:status": "trash"}),
    )
    assert {row["title"]: row["hidden"] for row in importer.rows("pages")} == {
        "Closed": True,
        "Secret": True,
        "Later": False,
    }
    assert importer.row("pages", title="Later")["starttime"] == 4_070_908_800


def test_it_reports_menus_comments_and_other_kinds(importer: Importer) -> None:
    menus = [item(number, "nav_menu_item") for number in (1, 2)]
    comment = "<wp:comment><wp:comment_id>1</wp:comment_id></wp:comment>"
    result = importer.take(*menus, item(3, "wp_block"), item(4).replace("</item>", f"{comment}</item>"))
    assert sentences(result) == [
        "2 entries of menus were not taken over.",
        "1 comment was not taken over.",
        "1 entry of the kind “wp_block” was not taken over.",
    ]
    assert numbers(result) == (1, 0, 0, 0)


def test_it_reports_categories_and_tags_once_each(importer: Importer) -> None:
    """Those the file describes and those its entries have; menus and formats are neither."""
    described = (
        "<wp:category><wp:category_nicename>news</wp:category_nicename></wp:category>"
        "<wp:category><wp:category_nicename>unused</wp:category_nicename></wp:category>"
        "<wp:tag><wp:tag_slug>boats</wp:tag_slug></wp:tag>"
    )
    given = "".join(
        f'<category domain="{domain}" nicename="{name}">{name}</category>'
        for domain, name in (("category", "news"), ("category", "old"), ("nav_menu", "top"), ("post_format", "link"))
    )
    result = importer.take(described, item(1, "post").replace("</item>", f"{given}</item>"))
    assert sentences(result) == ["3 categories were not taken over.", "1 tag was not taken over."]
    assert result.failed == 0


def test_it_records_files_whose_bytes_are_missing(importer: Importer) -> None:
    text = (
        f'<p>See <a href="{GERMAN}"><img class="wp-image-9" src="{GERMAN.replace(".jpg", "-300x200.jpg")}" alt=""></a></p>'
        '<p><img src="https://elsewhere.example/x.png" alt="a [b]"></p>'
    )
    meta = "<wp:postmeta><wp:meta_key>_wp_attachment_image_alt</wp:meta_key><wp:meta_value>A harbour</wp:meta_value></wp:postmeta>"
    media = item(9, "attachment", "Harbour", **{"wp:attachment_url": GERMAN, "wp:status": "inherit"})
    result = importer.take(media.replace("</item>", f"{meta}</item>"), item(1, title="Page", content=text))

    file = importer.row("files")
    assert (file["name"], file["mime"], file["missing"], file["size"]) == ("harbour.jpg", "image/jpeg", True, 0)
    assert file["path"] == f"/import/{importer.parent}/wordpress/9/harbour.jpg"
    assert importer.row("file_metadata")["alternative"] == "A harbour"
    reference = importer.row("file_references")
    assert (reference["file_uid"], reference["alternative"]) == (file["uid"], "A harbour")
    uid = file["uid"]
    assert importer.body("Page") == (
        f"[] See [![A harbour](file:{uid})](file:{uid})\n\n[a \\[b\\]](https://elsewhere.example/x.png)"
    )
    assert numbers(result) == (5, 0, 0, 0)


def test_it_makes_elements_of_blocks(importer: Importer) -> None:
    content = """<!-- wp:paragraph --><p>Intro <strong>bold</strong></p><!-- /wp:paragraph -->
<!-- wp:group --><div class="wp-block-group"><!-- wp:heading --><h2 class="x" onclick="y()">Roof &amp; door</h2><!-- /wp:heading -->
<!-- wp:list --><ul><li>one</li><li>two</li></ul><!-- /wp:list --></div><!-- /wp:group -->
<!-- wp:latest-posts {"postsToShow":3} /--><!-- wp:more --><!--more--><!-- /wp:more -->
<!-- wp:table --><figure><table><thead><tr><th>A</th></tr></thead><tbody><tr><td>a|b</td></tr></tbody></table></figure>
<!-- wp:embed {"url":"https://video.example/1"} --><iframe src="https://video.example/1"></iframe><!-- /wp:embed -->
<!-- wp:heading --><h2>End</h2><!-- /wp:heading --><!-- wp:code --><pre><code>x = "&lt;b&gt;"</code></pre><!-- /wp:code -->"""
    result = importer.take(item(1, title="Page", content=content))
    page = importer.row("pages", title="Page")["uid"]
    rows = sorted(importer.rows("content_elements", pid=page), key=lambda row: row["sorting"])
    assert [(row["header"], row["body"]) for row in rows] == [
        ("", "Intro **bold**"),
        (
            "Roof & door",
            "- one\n- two\n\n| A |\n| --- |\n| a\\|b |\n\n[1](https://video.example/1)",
        ),
        ("End", '```\nx = "<b>"\n```'),
    ]
    assert sentences(result) == ["page-1 has the block “latest-posts”, which WordPress fills itself. It was left out."]


def test_it_makes_paragraphs_of_classic_texts(importer: Importer) -> None:
    content = (
        'First line\nsecond *line*\n\n[caption id="a"]<img src="https://x.example/a.png" alt="A"> Words[/caption]\n\n'
        'https://video.example/2\n\n[contact-form to="a"]\n\n<pre>a\n\nb</pre>\n\n# no heading\n\n1. no list'
    )
    result = importer.take(item(1, title="Page", content=content))
    assert importer.body("Page") == (
        "[] First line  \nsecond \\*line\\*\n\n[A](https://x.example/a.png) Words\n\n"
        '[https://video.example/2](https://video.example/2)\n\n\\[contact-form to="a"\\]\n\n```\na\n\nb\n```\n\n'
        "\\# no heading\n\n1\\. no list"
    )
    assert sentences(result) == ["page-1 uses the unknown shortcode “contact-form”. It was kept as text."]


def test_it_leads_links_of_the_old_site_to_pages(importer: Importer) -> None:
    links = {
        "https://old.example/page-2/": "page",
        "http://www.old.example/page-2#part": "page#part",
        "/page-2/": "page",
        "https://old.example/?page_id=2": "page",
        "?p=2": "page",
        "https://old.example/page-9/": "https://old.example/page-9/",
        "https://new.example/page-2/": "https://new.example/page-2/",
        "#here": "#here",
    }
    content = "".join(f'<p><a href="{address}">x</a></p>' for address in links)
    importer.take(item(1, title="Page", content=content), item(2, title="Goal"))
    goal = importer.row("pages", title="Goal")["uid"]
    found = [line.removeprefix("[] ") for line in importer.body("Page").split("\n\n")]
    assert found == [
        f"[x]({target.replace('page', f'page:{goal}', 1) if target[0] == 'p' else target})" for target in links.values()
    ]


HOSTILE = [
    '<script>alert(1)</script><p onclick="x()">text</p>',
    '<a href="javascript:alert(1)">text</a>',
    '<img src="x" onerror="alert(1)"> text',
    '<svg onload="alert(1)"><style>text</style></svg> text',
    '<iframe src="javascript:alert(1)"></iframe> text',
    '<a href="data:text/html;base64,x">text</a>',
    "<form action='//evil'><input name=a></form> text",
]


@pytest.mark.parametrize("content", HOSTILE)
def test_it_cleans_what_strangers_wrote(importer: Importer, content: str) -> None:
    importer.take(item(1, title="Page", content=content))
    body = importer.body("Page")
    assert "text" in body
    assert not any(
        word in body.lower() for word in ("javascript", "onerror", "onclick", "<", "data:", 'alert(1)"', "evil")
    )


@pytest.mark.parametrize("content", ["<div>" * 50_000 + "x", "<b class=a><p>" * 20_000, "<ul><li>" * 300 + "x"])
def test_it_survives_markup_nested_without_measure(importer: Importer, content: str) -> None:
    result = importer.take(item(1, title="Deep", content=content), item(2, title="Good", content="<p>y</p>"))
    assert importer.body("Good") == "[] y"
    assert (result.failed, importer.body("Deep")) == (1, "")
    assert "page-1 is nested too deeply. Its page is empty." in sentences(result)


ENTITY = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
BROKEN = {
    "external": HEAD.replace("<rss", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><rss', 1)
    + "&x;</channel></rss>",
    "parameter": HEAD.replace("<rss", '<!DOCTYPE r [<!ENTITY % x SYSTEM "http://127.0.0.1/x">%x;]><rss', 1)
    + "</channel></rss>",
    "laughs": HEAD.replace("<rss", f"{ENTITY}<rss", 1) + "&b;</channel></rss>",
    "doctype": HEAD.replace("<rss", "<!DOCTYPE rss><rss", 1) + "</channel></rss>",
    "cut": HEAD + "<item>",
    "other": "<?xml version='1.0'?><rss><channel><title>x</title></channel></rss>",
    "empty": "",
    "html": "<!doctype html><p>x",
    "encoding": "<?xml version='1.0' encoding='none-such'?><rss/>",
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_refuses_what_is_no_plain_export(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.xml"
    path.write_text(BROKEN[name], encoding="utf-8")
    with pytest.raises(Invalid):
        read_wxr(path)


def test_it_takes_no_part_in_other_documents(importer: Importer) -> None:
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/hostname" parse="text"/>'
    importer.take(item(1, title="Page").replace("<content:encoded><![CDATA[]]>", f"<content:encoded>{include}"))
    assert importer.body("Page") == ""


def test_it_ends_circles_and_lost_parents_at_the_top(importer: Importer) -> None:
    importer.take(
        item(1, **{"wp:post_parent": 2}), item(2, **{"wp:post_parent": 1}), item(3, **{"wp:post_parent": 99}), item(3)
    )
    assert {row["title"]: row["pid"] for row in importer.rows("pages")} == dict.fromkeys(
        ("T1", "T2", "T3"), importer.parent
    )


def test_it_changes_only_what_changed(importer: Importer) -> None:
    first = importer.take(item(1, title="Page", content="<p>a</p>"), item(2, title="Other", content="<p>b</p>"))
    again = importer.take(item(1, title="Page", content="<p>a</p>"), item(2, title="Other", content="<p>c</p>"))
    assert numbers(first) == (4, 0, 0, 0)
    assert numbers(again) == (0, 1, 3, 0)
    part = importer.take(item(2, title="Other", content="<p>c</p>"))
    assert (numbers(part), sentences(part)) == ((0, 0, 2, 0), [])


def test_it_keeps_two_old_sites_apart(importer: Importer) -> None:
    importer.take(item(1, title="Page"))
    path = importer.file(item(1, title="Page of another"))
    path.write_text(path.read_text().replace("old.example", "other.example"))
    assert numbers(importer(path)) == (1, 0, 0, 0)


def test_it_does_not_bring_back_a_file_that_was_deleted(importer: Importer) -> None:
    media = item(9, "attachment", **{"wp:attachment_url": GERMAN})
    items = (media, item(1, title="Page", content=f'<p><img class="wp-image-9" src="{GERMAN}"></p>'))
    importer.take(*items)
    reference = importer.row("file_references")["uid"]
    context = WriteContext(
        actor=seed_actor(), workspace_id=0, origin=Origin.PERSON, correlation="person/1", now=core_clock.now()
    )
    with transaction() as connection:
        batch = Batch(connection, context)
        batch.delete("file_references", reference)
        batch.finish()
    assert numbers(importer.take(*items))[:2] == (0, 0)


@pytest.mark.skipif(not EXPORTS.is_dir(), reason="the exports are not at ../shared/data/wordpress")
def test_it_takes_whole_exports_once(importer: Importer) -> None:
    for path, pages, files, menus in ((THEME, 79, 37, "70 entries of menus"), (BLOCKS, 62, 9, "1 entry of a menu")):
        before = len(importer.rows("pages")), len(importer.rows("files"))
        result = importer(path)
        assert result.failed == 0, sentences(result)
        assert any(sentence.startswith(menus) for sentence in sentences(result))
        again = importer(path)
        assert numbers(again) == (0, 0, result.created + result.updated + result.unchanged, 0)
        assert len(importer.rows("pages")) >= max(before[0], pages)
        assert len(importer.rows("files")) >= max(before[1], files)
    draft, level3 = importer.row("pages", title="Draft"), importer.row("pages", title="Level 3")
    assert draft["hidden"] is True
    above = importer.row("pages", uid=level3["pid"])
    assert (above["title"], importer.row("pages", uid=above["pid"])["title"]) == ("Level 2", "Level 1")
    assert all(row["missing"] for row in importer.rows("files"))
    elements = REGISTRY["content_elements"].table
    with reading() as connection:
        for mark in ("<script", "javascript:", "](image:", "](page:p", "onclick="):
            found = select(func.count()).where(
                elements.c.import_key != "", elements.c.body.contains(mark, autoescape=True)
            )
            assert connection.execute(found).scalar_one() == 0, mark
        assert connection.execute(sql("SELECT count(*) FROM record_history WHERE origin = 'import'")).scalar_one() > 900
