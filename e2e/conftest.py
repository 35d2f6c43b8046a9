"""Browser tests: a real server with real workers and the built-in assistant on a fresh copy of the demo, for each test."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page
from waitress import wasyncore
from waitress.server import create_server

from app import create_app
from app.accounts import passwords
from app.accounts.store import USER
from app.agent.worker import start_workers
from app.config import Settings
from app.core.db import db, transaction
from app.seed.demo import DemoSite, install_demo
from e2e.pages.journey import Journey
from tests.support.chromium import find_chromium
from tests.support.database import migrate

PASSWORD = "a long demo password"
FLAGS = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Drive the installed Chromium; without one Playwright's own."""
    chromium = find_chromium()
    return {**browser_type_launch_args, "args": FLAGS, **({"executable_path": chromium} if chromium else {})}


class Server:
    """A running product on a data folder; after ``restart`` it is a new one on the same folder and port."""

    app: Flask

    def __init__(self, settings: Settings, site: DemoSite) -> None:
        self.settings, self.site, self._port = settings, site, 0
        self.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Serve, with two workers."""
        self.app = create_app(self.settings)
        self._workers = start_workers(self.app, self.app.extensions["imprimatur"].runtime, 2)
        self._listener = create_server(self.app, host="127.0.0.1", port=self._port, threads=8)
        self._port = self._listener.effective_port
        self._thread = threading.Thread(target=self._listener.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, with every connection that browsers hold open; closing happens in the thread that owns the sockets."""
        sockets = self._listener._map
        self._listener.trigger.pull_trigger(lambda: wasyncore.close_all(sockets, ignore_all=True))
        self._workers.stop()
        self._thread.join(timeout=5)
        with self.app.app_context():
            db.engine.dispose()

    def restart(self) -> None:
        """As after a power cut between two requests: nothing but the folder is left."""
        self.stop()
        self.start()


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DemoSite]:
    """A migrated demo whose people share one password, made once."""
    folder = tmp_path_factory.mktemp("demo")
    settings = Settings.from_environment({}, data=str(folder), workers=0)
    app = create_app(settings)
    hashed = passwords.hash_password(PASSWORD)
    with app.app_context():
        migrate()
        with transaction() as connection:
            site = install_demo(connection, settings)
            connection.execute(USER.update().values(password_hash=hashed))
        assert site is not None
        raw = db.engine.raw_connection()
        raw.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        raw.close()
        db.engine.dispose()
    return folder, site


@pytest.fixture
def server(demo_folder: tuple[Path, DemoSite], tmp_path: Path) -> Iterator[Server]:
    """Serves a fresh copy of the demo on a free loopback port."""
    folder, site = demo_folder
    data = tmp_path / "data"
    shutil.copytree(folder, data)
    settings = Settings.from_environment({}, data=str(data), timezone="UTC", site_name="Town Museum")
    found = Server(settings, site)
    yield found
    found.stop()


@pytest.fixture
def open_journey(browser: Browser, server: Server) -> Iterator[Callable[..., Journey]]:
    """Somebody signed in, in a browser of their own: ``open_journey("anna", locale="de", theme="dark", width=320)``."""
    contexts: list[BrowserContext] = []
    broken: list[str] = []

    def start(
        username: str = "anna",
        *,
        locale: str = "en",
        theme: str = "light",
        width: int = 1280,
        scripts: bool = True,
        bypass_csp: bool = False,
    ) -> Journey:
        context = browser.new_context(
            base_url=server.url,
            java_script_enabled=scripts,
            viewport={"width": width, "height": 800},
            locale="de-DE" if locale == "de" else "en-GB",
            bypass_csp=bypass_csp,
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        _watch(context, broken)
        _choose(server, username, locale, theme)
        journey = Journey(context.new_page(), server.url, server.site)
        journey.sign_in(username, PASSWORD)
        return journey

    yield start
    for context in contexts:
        context.close()
    assert broken == []  # T44: no error of a script and no breach of the policy, whatever a check does


def _watch(context: BrowserContext, broken: list[str]) -> None:
    context.on("weberror", lambda error: broken.append(str(error.error)))
    context.on("console", lambda message: broken.append(message.text) if "Security Policy" in message.text else None)


def _choose(server: Server, username: str, locale: str, theme: str) -> None:
    with server.app.app_context(), transaction() as connection:
        connection.execute(
            USER.update().where(USER.c.username == username).values(language=locale, theme=theme, timezone="UTC")
        )


@pytest.fixture
def failures(server: Server) -> Callable[[Page], list[str]]:
    """Collects what a page complains about: script errors and broken content rules."""

    def watch(page: Page) -> list[str]:
        found: list[str] = []
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
        return found

    return watch
