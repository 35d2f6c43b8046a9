"""The evaluation set as it is stored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from app.agent.evaluation.requests import Made, Named, load_requests, resolve_words
from app.agent.tools import built_in_tools


def test_it_holds_twenty_requests_in_each_language() -> None:
    requests = load_requests()
    assert Counter(request.language for request in requests) == {"en": 20, "de": 20}
    assert sum(request.is_documented for request in requests) == 36


def test_it_expects_calls_the_tools_take() -> None:
    tools = {tool.facts.name: tool for tool in built_in_tools()}
    for request in load_requests():
        for call in (*request.writes, *request.reads):
            tool = tools[call.tool]
            names = {*call.arguments, *call.free, *call.defaults}
            assert names <= tool.parameters["properties"].keys(), request.id
            assert set(tool.parameters["required"]) <= call.arguments.keys() | call.free, request.id
            assert tool.facts.is_write is (call in request.writes), request.id


def test_it_tries_every_tool_in_both_languages_together() -> None:
    tried = {call.tool for request in load_requests() for call in (*request.writes, *request.reads)}
    assert tried == {tool.facts.name for tool in built_in_tools()}


def test_it_names_records_by_title() -> None:
    translated = next(request for request in load_requests() if request.id == "en-copy-and-translate")
    assert translated.writes[0].arguments["page"] == Named(kind="page", title="Opening hours")
    assert translated.writes[1].arguments["uid"] == Made(step=1)
    assert resolve_words("Hide page {page:Visit} {x} {element:By train}", lambda named: len(named.title)) == (
        "Hide page 5 {x} 8"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        'surprise = "x"',
        'reads = [{ tool = "list_languages" }]\nwrites = [{ tool = "copy_page", page = 1 }]',
        'writes = [{ tool = "copy_page", page = { title = "Visit" } }]',
    ],
)
def test_it_refuses_a_set_it_does_not_understand(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "set.toml"
    path.write_text(f'[[requests]]\nid = "a"\nlanguage = "en"\ndocumented = true\nwords = "x"\n{wrong}\n')
    with pytest.raises(ValueError, match=r"request 'a'|a record is named"):
        load_requests(path)


def test_it_refuses_an_id_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text('[[requests]]\nid = "a"\nlanguage = "en"\ndocumented = true\nwords = "x"\n' * 2)
    with pytest.raises(ValueError, match="same id"):
        load_requests(path)
