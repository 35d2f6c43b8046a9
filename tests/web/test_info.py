"""Pages that explain."""

from __future__ import annotations

import pytest

from tests.support.page import PageClient


@pytest.mark.parametrize(
    "path", ["/accessibility", "/glossary", "/help", "/keyboard", "/feedback", "/preferences", "/sign-in"]
)
def test_it_explains_to_everybody(anonymous: PageClient, anna: PageClient, path: str) -> None:
    assert anonymous.get(path).status == 200
    if path != "/sign-in":
        assert anna.get(path).status == 200
