"""Browsers of the demo's people."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.seed.demo import DemoSite
from tests.support.page import PageClient


@pytest.fixture
def anonymous(app: Flask) -> PageClient:
    """A browser in which nobody is signed in."""
    return PageClient(app)


@pytest.fixture
def browser_of(app: Flask, site: DemoSite) -> Callable[[str], PageClient]:
    """``browser_of("anna")``: a browser in which that person is signed in."""
    return lambda username: PageClient(app).sign_in_as(site.people.users[username])


@pytest.fixture
def anna(browser_of: Callable[[str], PageClient]) -> PageClient:
    """Anna's browser: editor, stands in the draft workspace Relaunch."""
    return browser_of("anna")
