"""The main journey: send, card, approve, list."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser


def test_it_copies_a_branch_after_a_yes_and_lists_it(open_journey: Callable[..., Journey]) -> None:
    anna = open_journey("anna")
    anna.new_conversation()
    anna.send("Copy the page 'Visit' with its subpages below 'About us'")
    anna.wait_for("awaiting_approval")
    expect(anna.approve).to_have_text("Approve: Copy the page “Visit” with its subpages below “About us”")
    anna.approve.click()
    anna.wait_for("idle")
    anna.open_changes()
    expect(anna.records).to_have_count(19)
