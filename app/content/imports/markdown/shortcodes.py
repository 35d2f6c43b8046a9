"""Hugo shortcodes as a tree: ``{{% x %}}`` and ``{{< x >}}``, paired, single, nested, parameters named or plain."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from app.content.imports.markdown.files import BrokenFile
from app.core.i18n import text

_MAX_TAG = 2_000
_MAX_DEPTH = 40
_TAG = re.compile(
    r"""\{\{(?P<open>[<%])
        (?P<inner>(?:"(?:\\[^\n]|[^"\\\n])*"|`[^`\n]*`|(?![%>]\}\})[^"`]){0,2000}?)
        [%>]\}\}""",
    re.VERBOSE | re.DOTALL,
)
_NAME = re.compile(r"\s*(?P<close>/?)\s*(?P<name>[A-Za-z][\w-]*(?:[./][\w-]+)*)(?P<params>.*)\Z", re.DOTALL)
# A slash after a blank, a quote or the bare name closes the tag; else it ends a path: {{< relref /cli/ >}}.
_SELF_CLOSED = re.compile(r"""(?:[\s"`]|\A\s*[A-Za-z][\w./-]*)/\s*\Z""")
_ESCAPED = re.compile(r"\A\s*/\*(?P<literal>.*)\*/\s*\Z", re.DOTALL)
_PARAM = re.compile(
    r"""(?:(?P<key>[\w-]+)\s*=\s*)?(?:"(?P<quoted>(?:\\.|[^"\\])*)"|`(?P<raw>[^`]*)`|(?P<bare>[^\s"`]+))"""
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Literal:
    """Text between shortcodes, as written."""

    text: str
    start: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Shortcode:
    """One call. ``inner`` is None for a single one; ``source`` is the opening tag and ``closing`` the end tag as
    written ("/" when the tag closes itself)."""

    name: str
    positional: tuple[str, ...]
    named: Mapping[str, str]
    source: str
    start: int
    closing: str = ""
    inner: tuple[Node, ...] | None = None

    @property
    def end_source(self) -> str:
        """The end tag as written, '' for a single shortcode."""
        return "" if self.inner is None else self.closing

    def value(self, name: str, position: int | None = 0) -> str:
        """The parameter called ``name``, else the one at ``position``, else ''."""
        if name in self.named:
            return self.named[name]
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return ""


Node = Literal | Shortcode


@dataclass(kw_only=True, slots=True)
class _Open:
    """A tag on the stack whose end was not seen yet."""

    tag: Shortcode | None
    children: list[Node] = field(default_factory=list)


def parse_shortcodes(source: str, code: Sequence[tuple[int, int]] = ()) -> tuple[Node, ...]:
    """The nodes of ``source``; ``code`` are the character ranges of fenced code, where tags never pair.

    An opening tag without its end is a single shortcode; an end without opening stays a literal shortcode named ``/x``.
    Raises ``BrokenFile`` when shortcodes are nested deeper than 40.
    """
    pieces = [(piece, _in_code(piece.start, code)) for piece in _pieces(source)]
    last_end = {piece.name: piece.start for piece, in_code in pieces if isinstance(piece, Shortcode) and not in_code}
    stack: list[_Open] = [_Open(tag=None)]
    for piece, in_code in pieces:
        if isinstance(piece, Literal) or in_code or piece.closing:
            stack[-1].children.append(piece)
        elif piece.name.startswith("/"):
            _close(stack, piece)
        # A tag whose end never follows is single at once, so that only real nesting counts.
        elif last_end.get("/" + piece.name, -1) < piece.start:
            stack[-1].children.append(piece)
        elif len(stack) > _MAX_DEPTH:
            raise BrokenFile(text("Its shortcodes are nested too deeply."))
        else:
            stack.append(_Open(tag=piece))
    while len(stack) > 1:
        _give_up(stack)
    return tuple(stack[0].children)


def as_written(nodes: Sequence[Node]) -> str:
    """The source of ``nodes``."""
    return "".join(
        node.text if isinstance(node, Literal) else node.source + as_written(node.inner or ()) + node.end_source
        for node in nodes
    )


def _in_code(position: int, code: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(code, position, key=itemgetter(0)) - 1
    return at >= 0 and position < code[at][1]


def _give_up(stack: list[_Open]) -> None:
    unclosed = stack.pop()
    if unclosed.tag is not None:
        stack[-1].children.append(unclosed.tag)
    stack[-1].children.extend(unclosed.children)


def _close(stack: list[_Open], end: Shortcode) -> None:
    name = end.name[1:]
    if not any(entry.tag is not None and entry.tag.name == name for entry in stack):
        stack[-1].children.append(end)
        return
    while stack[-1].tag is None or stack[-1].tag.name != name:
        _give_up(stack)
    done = stack.pop()
    assert done.tag is not None  # noqa: S101  the loop above ends at a tag
    stack[-1].children.append(replace(done.tag, closing=end.source, inner=tuple(done.children)))


def _pieces(source: str) -> Iterator[Node]:
    at = 0
    for match in _TAG.finditer(source):
        piece = _piece(match)
        if piece is None:
            continue
        if match.start() > at:
            yield Literal(text=source[at : match.start()], start=at)
        yield piece
        at = match.end()
    if at < len(source):
        yield Literal(text=source[at:], start=at)


def _piece(match: re.Match[str]) -> Node | None:
    inner = match["inner"]
    escaped = _ESCAPED.match(inner)
    if escaped is not None:
        ends = "{{" + match["open"], ("%" if match["open"] == "%" else ">") + "}}"
        return Literal(text=ends[0] + escaped["literal"] + ends[1], start=match.start())
    named = _NAME.match(inner)
    if named is None:
        return None
    positional: list[str] = []
    by_name: dict[str, str] = {}
    single = not named["close"] and _SELF_CLOSED.search(inner) is not None
    params = named["params"].rstrip().removesuffix("/") if single else named["params"]
    for param in _PARAM.finditer(params):
        value = _param_value(param)
        if param["key"]:
            by_name[param["key"]] = value
        else:
            positional.append(value)
    return Shortcode(
        name=("/" if named["close"] else "") + named["name"],
        positional=tuple(positional),
        named=by_name,
        source=match[0],
        start=match.start(),
        closing="/" if single else "",
    )


def _param_value(param: re.Match[str]) -> str:
    if param["quoted"] is not None:
        return re.sub(r"\\(.)", r"\1", param["quoted"], flags=re.DOTALL)
    if param["raw"] is not None:
        return param["raw"]
    return param["bare"] or ""
