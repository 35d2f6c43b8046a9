from __future__ import annotations

import time

from app.core import clock
from tests.support.clock import START, FakeClock


def test_it_takes_time_from_the_machine() -> None:
    assert abs(clock.now() - time.time()) < 5
    assert clock.monotonic() <= clock.monotonic()


def test_it_gives_back_the_source_it_replaced() -> None:
    fake = FakeClock()
    before = clock.use_source(fake)
    try:
        assert clock.now() == int(START)
        fake.advance(1.9)
        assert clock.now() == int(START) + 1
        assert clock.monotonic() == START + 1.9
    finally:
        assert clock.use_source(before) is fake
    assert clock.now() != int(START) + 1
