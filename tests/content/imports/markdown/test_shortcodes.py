from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.content.imports.markdown.files import BrokenFile
from app.content.imports.markdown.shortcodes import Shortcode, as_written, parse_shortcodes


def only(source: str) -> Shortcode:
    (node,) = parse_shortcodes(source)
    assert isinstance(node, Shortcode)
    return node


@pytest.mark.parametrize(
    ("source", "positional", "named"),
    [
        ("{{< x >}}", (), {}),
        ("{{<x>}}", (), {}),
        ('{{%x "a b" c%}}', ("a b", "c"), {}),
        ('{{< x a="1" b = 2 c=`3 4` >}}', (), {"a": "1", "b": "2", "c": "3 4"}),
        (r'{{< x "a \"b\" >}} c" >}}', ('a "b" >}} c',), {}),
        ("{{< x /cli/ >}}", ("/cli/",), {}),
        ('{{< x "a" />}}', ("a",), {}),
        ("{{< x/ >}}", (), {}),
    ],
)
def test_it_reads_parameters(source: str, positional: tuple[str, ...], named: dict[str, str]) -> None:
    node = only(source)
    assert (node.name, node.positional, node.named) == ("x", positional, named)


def test_it_pairs_nested_and_leaves_single_ones_inside() -> None:
    node = only("{{< a >}}{{% b %}}{{< c >}}{{% /b %}}{{< /a >}}")
    assert node.inner is not None
    (inner,) = node.inner
    assert isinstance(inner, Shortcode)
    assert (inner.name, inner.inner is not None and len(inner.inner)) == ("b", 1)


def test_it_does_not_pair_across_code() -> None:
    source = "{{< a >}} `{{< /a >}}`"
    nodes = parse_shortcodes(source, [(10, len(source))])
    assert [node.name for node in nodes if isinstance(node, Shortcode)] == ["a", "/a"]


def test_it_limits_nesting_but_not_the_number() -> None:
    parse_shortcodes("{{< a >}}" * 5000)
    with pytest.raises(BrokenFile):
        parse_shortcodes("{{< a >}}" * 50 + "{{< /a >}}" * 50)


@given(st.lists(st.sampled_from(["{{", "}}", "<", "%", "/", "a", "b", " ", '"', "`", "\n", "{{< a >}}", "{{% /a %}}"])))
def test_it_loses_no_sign_of_any_text(pieces: list[str]) -> None:
    source = "".join(pieces)
    assert as_written(parse_shortcodes(source)) == source
