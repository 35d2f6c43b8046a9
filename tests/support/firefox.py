"""The second browser of the checks with hostile text: an installed Firefox, driven over WebDriver BiDi.

Playwright fetches none that an installed Firefox could stand in for, so one must be there: ``bin/test`` installs it where it may. A
machine without one skips those checks and says so; with ``CI=true`` they fail there, so that a check never passes by
leaving a browser out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, Error, Playwright

NAMES = ("firefox-esr", "firefox")


def find_firefox() -> str | None:
    """Path of an installed Firefox (``FIREFOX`` in the environment wins)."""
    if chosen := os.environ.get("FIREFOX"):
        return chosen
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def running_firefox(playwright: Playwright) -> Iterator[Browser]:
    """A Firefox, ended afterwards; without one, or one that does not start, the test is skipped (``CI=true``: failed)."""
    found = find_firefox()
    if found is None:
        leave_out("no Firefox is installed: the checks with hostile text ran in Chromium only")
    try:
        browser = playwright.firefox.launch(channel="moz-firefox", executable_path=found)
    except Error as error:
        leave_out(f"Firefox cannot be driven: {error.message.splitlines()[0]}")
    try:
        yield browser
    finally:
        browser.close()


def leave_out(reason: str) -> NoReturn:
    """Skip with ``reason``, or fail with it under continuous integration."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason)
    pytest.skip(reason)
