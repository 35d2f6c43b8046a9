"""The browser the checks drive: an installed Chromium, else the one Playwright has fetched."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """Path of an installed Chromium (``CHROMIUM`` in the environment wins); None: use Playwright's own."""
    if chosen := os.environ.get("CHROMIUM"):
        return chosen
    return next((found for name in NAMES if (found := shutil.which(name))), None)
