"""Fixtures of the tools' tests."""

from __future__ import annotations

import pytest

from app.seed.demo import DemoSite
from tests.agent.tools.bench import Bench


@pytest.fixture
def bench(site: DemoSite) -> Bench:
    """Tools on a fresh demo site."""
    return Bench(site)
