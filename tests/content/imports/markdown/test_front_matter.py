from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.content.imports.markdown.files import BrokenFile
from app.content.imports.markdown.front_matter import FrontMatter, split_front_matter


def fields(head: str) -> FrontMatter:
    return split_front_matter(f"---\n{head}\n---\nbody")[0]


def test_it_reads_a_file_without_a_head() -> None:
    assert split_front_matter("Text\n---\nmore") == (FrontMatter(), "Text\n---\nmore")


def test_it_leaves_rulers_of_the_body_alone() -> None:
    assert split_front_matter("---\ntitle: A\n---\nx\n\n---\n\ny")[1] == "x\n\n---\n\ny"


def test_it_reads_weights_as_hugo_does() -> None:
    weights = [
        fields(f"weight: {word}").weight for word in ("3", "'4'", "2.7", "0", "true", "x", ".inf", "9" * 30, "[1]")
    ]
    assert weights == [3, 4, 2, None, None, None, None, 2**31 - 1, None]


def test_it_reads_dates_as_epoch_seconds_utc() -> None:
    words = ("2024-05-01", "2024-05-01T12:00:00+02:00", "'2024-05-01 10:00'", "soon", "3")
    assert [fields(f"date: {word}").date for word in words] == [1714521600, 1714557600, 1714557600, None, None]


def test_it_takes_scalars_only_and_no_objects() -> None:
    found = fields("title: 2024\ndescription: [a, b]\ndraft: 'true'\ntags: [a, 1]\nTITLE2: x")
    assert (found.title, found.description, found.draft, found.tags) == ("2024", "", True, ("a", "1"))


def test_it_runs_no_code_from_yaml() -> None:
    try:
        fields("title: !!python/object/apply:os.getcwd []")
    except BrokenFile as error:
        assert error.reason.message == "Its front matter is not valid."  # noqa: PT017  the reason is what is asked
    else:
        raise AssertionError


@given(st.text(), st.sampled_from(["---", "+++"]))
def test_it_reads_or_refuses_any_head(head: str, mark: str) -> None:
    try:
        found, _ = split_front_matter(f"{mark}\n{head}\n{mark}\n")
    except BrokenFile:
        return
    found.title.encode()
