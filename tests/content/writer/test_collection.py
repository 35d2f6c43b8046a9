"""The collector rests during a large write, and only then."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from app.content.errors import WriteRefused
from app.content.hooks import Hooks
from app.content.writer.collection import collection_paused
from tests.content.writer.fixtures import FR, Store


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    """The collector runs before and after."""
    gc.enable()
    yield
    gc.enable()


def test_it_rests_until_the_last_pause_ends() -> None:
    with collection_paused():
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_leaves_a_collector_alone_that_was_off_before() -> None:
    gc.disable()
    with collection_paused():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_it_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="x"), collection_paused():
        raise ValueError("x")
    assert gc.isenabled()


def test_a_batch_pauses_it_for_large_commands_and_the_end(store: Store) -> None:
    seen: list[bool] = []
    asking = Hooks(before=(lambda *_: seen.append(gc.isenabled()),), inside=(lambda *_: seen.append(gc.isenabled()),))
    with store.batch(hooks=asking) as batch:
        batch.copy_page(14, None, subpages=True)
        batch.localize_all("pages", [14], FR, with_content=True)
        batch.finish()
        assert gc.isenabled()
    assert seen
    assert not any(seen)
    with store.batch() as batch, pytest.raises(WriteRefused):
        batch.copy_page(999, None, subpages=True)
    assert gc.isenabled()
