"""Templates: what a policy for scripts, a screen reader or the next reader would trip over."""

from __future__ import annotations

import re

import pytest
from jinja2 import Environment, nodes

from tests.house.sources import name, read, templates

_JINJA_COMMENT = re.compile(r"\{#.*?#\}", flags=re.DOTALL)
_TRANS = re.compile(r"\{%-?\+?\s*trans\b.*?\{%-?\+?\s*endtrans\s*[-+]?%\}", flags=re.DOTALL)
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", flags=re.DOTALL)
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z!\x00][^<>]*>", flags=re.DOTALL)
_SPOKEN_ATTRIBUTE = re.compile(r"""(?i)\s(?:aria-label|aria-description|alt|title|placeholder)="([^"]*)\"""")
_LETTERS = re.compile(r"[A-Za-zÄÖÜäöüß]{2,}")
_PROPER_NAMES = {"Imprimatur"}

UNSAFE = {
    r"\|\s*safe\b": "|safe switches the escaping off; HTML arrives cleaned, as Markup, from the one module that may",
    r"\{%-?\s*autoescape\s+false": "autoescape false switches the escaping off",
    r"(?i)<style\b": "the policy refuses style elements; write a style sheet",
    r"""(?i)[\s"'{]style["']?\s*[=:]\s*["']""": "the policy refuses style attributes; write a class",
    r"(?is)<script\b(?![^>]*\bsrc=)": "the policy refuses scripts in the page; write a module in static/js",
    r"""(?i)[\s"']on[a-z]+\s*=\s*["']""": "the policy refuses event attributes; bind the module by data-behaviour",
    r"(?i)javascript:": "the policy refuses javascript: addresses",
}

FORBIDDEN_HTMX = {
    r"hx-on\b|hx-on:|hx-on-": "hx-on evaluates text as script",
    r"""["']\s*(js|javascript):""": "js: values evaluate text as script",
    r"""hx-trigger["']?\s*[=:]\s*["'][^"'\[]*\[""": "a trigger filter evaluates text as script",
    r"hx-boost\b": "hx-boost takes page loads over, and with them title and focus",
    r"hx-push-url\b": "hx-push-url copies pages into the browser's history",
    r"hx-disabled-elt\b|hx-disable\b": "a disabled control drops the focus",
    r"<(?:input|textarea|select)\b[^>]*hx-preserve": "hx-preserve moves the field and loses caret and selection",
    r"""hx-swap["']?\s*[=:]\s*["'][^"']*\b(?:scroll|show|focus-scroll):""": "nothing scrolls but by the pin rule",
    r"""hx-swap["']?\s*[=:]\s*["'][^"']*\btransition:true|view-transition""": "a view transition freezes the page",
    r"hx-ext\b": "no extension; morphing is for the list body only",
}

UNFRIENDLY = {
    r"aria-busy": "aria-busy silences the region in some screen readers",
    r"(?i)[\s\"']autofocus\b": "autofocus skips what stands before the field",
    r"(?i)[\s\"']accesskey\b": "an access key collides with keys of screen readers and browsers",
    r"""(?i)tabindex["']?\s*[=:]\s*["']?\s*[1-9]""": "a positive tabindex breaks the order of the page",
    r"(?is)<(?:a|button|input|select|textarea|summary)\b[^>]*\stitle=": "a title of a control is not reachable by keys",
    r"""(?i)role["']?\s*[=:]\s*["'](?:listbox|option|menu|menubar|menuitem\w*)["']""": "its keys are not built",
}

FOREIGN_NAMES = {"request", "session", "g", "current_user", "config", "get_flashed_messages"}


def hits(rules: dict[str, str], source: str) -> list[str]:
    """The reasons of the rules that ``source`` breaks; comments are left out."""
    plain = _JINJA_COMMENT.sub("", source)
    return [reason for pattern, reason in rules.items() if re.search(pattern, plain)]


def _parse(source: str) -> nodes.Template:
    return Environment(extensions=["jinja2.ext.i18n", "jinja2.ext.do", "jinja2.ext.loopcontrols"]).parse(source)  # noqa: S701


def foreign_names(source: str) -> list[str]:
    """Names of the request a component reads although nobody handed them in."""
    read_names = {node.name for node in _parse(source).find_all(nodes.Name) if node.ctx == "load"}
    return sorted(read_names & FOREIGN_NAMES)


def unused_imports(source: str) -> list[str]:
    """Names imported from other templates and not used."""
    tree = _parse(source)
    imported: set[str] = set()
    for from_import in tree.find_all(nodes.FromImport):
        imported |= {item if isinstance(item, str) else item[1] for item in from_import.names}
    imported |= {node.target for node in tree.find_all(nodes.Import)}
    return sorted(imported - {node.name for node in tree.find_all(nodes.Name)})


def bare_words(source: str) -> list[str]:
    """Words for people that stand in the markup itself, so that no catalogue holds them."""
    plain = _JINJA.sub("\x00", _TRANS.sub("", _JINJA_COMMENT.sub("", source)))
    spoken = " ".join(_SPOKEN_ATTRIBUTE.findall(plain))
    found = _LETTERS.findall(re.sub(r"&\w+;", "", _TAG.sub(" ", plain))) + _LETTERS.findall(spoken)
    return [word for word in found if word not in _PROPER_NAMES]


@pytest.mark.parametrize("rules", [UNSAFE, FORBIDDEN_HTMX, UNFRIENDLY], ids=["safe", "htmx", "accessible"])
def test_it_keeps_forbidden_markup_out(rules: dict[str, str]) -> None:
    found = {name(path): reasons for path in templates() if (reasons := hits(rules, read(path)))}
    assert not found, f"markup that is forbidden in every template, with the reason: {found}"


def test_it_has_pure_components() -> None:
    components = [path for path in templates() if path.parent.name == "components"]
    found = {name(path): names for path in components if (names := foreign_names(read(path)))}
    assert not found, f"a component that reads the request cannot be shown elsewhere; hand the value in: {found}"


def test_it_uses_what_it_imports() -> None:
    found = {name(path): names for path in templates() if (names := unused_imports(read(path)))}
    assert not found, f"an import that is not used sends the reader looking for it: {found}"


def test_it_takes_words_from_the_catalogues() -> None:
    found = {name(path): words[:8] for path in templates() if (words := bare_words(read(path)))}
    assert not found, f"words written in the markup stay English in German pages; use _() or trans: {found}"


@pytest.mark.parametrize(
    ("rules", "source"),
    [
        (UNSAFE, "{{ body | safe }}"),
        (UNSAFE, "{% autoescape false %}"),
        (UNSAFE, "<style>a{}</style>"),
        (UNSAFE, '<p style="color:red">'),
        (UNSAFE, '{{ button(attrs={"style": "x"}) }}'),
        (UNSAFE, "<script>1</script>"),
        (UNSAFE, '<a onclick="x()">'),
        (UNSAFE, '<a href="javascript:x">'),
        (FORBIDDEN_HTMX, '<a hx-on:click="x">'),
        (FORBIDDEN_HTMX, "<a hx-vals='js:{a: 1}'>"),
        (FORBIDDEN_HTMX, '<a hx-trigger="click[ctrlKey]">'),
        (FORBIDDEN_HTMX, '{{ link(attrs={"hx-trigger": "click[ctrlKey]"}) }}'),
        (FORBIDDEN_HTMX, '<body hx-boost="true">'),
        (FORBIDDEN_HTMX, '<a hx-push-url="true">'),
        (FORBIDDEN_HTMX, '<form hx-disabled-elt="this">'),
        (FORBIDDEN_HTMX, '<textarea id="message" hx-preserve>'),
        (FORBIDDEN_HTMX, '<a hx-swap="outerHTML show:top">'),
        (FORBIDDEN_HTMX, '<a hx-swap="outerHTML transition:true">'),
        (FORBIDDEN_HTMX, '<body hx-ext="morph">'),
        (UNFRIENDLY, '<div aria-busy="true">'),
        (UNFRIENDLY, "<input autofocus>"),
        (UNFRIENDLY, '<a accesskey="s">'),
        (UNFRIENDLY, '<a tabindex="1">'),
        (UNFRIENDLY, '{{ link(attrs={"tabindex": 2}) }}'),
        (UNFRIENDLY, '<button type="submit" title="x">'),
        (UNFRIENDLY, '<ul role="listbox">'),
    ],
)
def test_it_notices_forbidden_markup(rules: dict[str, str], source: str) -> None:
    assert hits(rules, source)


@pytest.mark.parametrize(
    "source",
    [
        '<script type="module" src="{{ url }}"></script>',
        '<h1 tabindex="-1">',
        '<form hx-swap="outerHTML" hx-trigger="changes-load">',
        '{# style="…" and |safe are forbidden #}<abbr title="{{ long }}">',
    ],
)
def test_it_allows_other_markup(source: str) -> None:
    assert not [reason for rules in (UNSAFE, FORBIDDEN_HTMX, UNFRIENDLY) for reason in hits(rules, source)]


def test_it_notices_a_component_that_reads_the_request() -> None:
    assert foreign_names("{% macro a(x) %}{{ request.path }}{% if current_user.name %}{{ g }}{% endif %}{% endmacro %}")
    assert foreign_names("{% macro a(x) %}{{ x.request }}{% endmacro %}") == []


def test_it_notices_an_unused_import() -> None:
    source = '{% from "a.html" import badge, icon as sign, used %}{% import "b.html" as b %}{{ used() }}'
    assert unused_imports(source) == ["b", "badge", "sign"]


def test_it_notices_words_in_the_markup() -> None:
    source = '<p class="x">Save {{ _("now") }} {% trans %}or later{% endtrans %}</p><a aria-label="Close it">×</a>'
    assert bare_words(source) == ["Save", "Close", "it"]
