"""The installation a command works on: its settings and, from the first use on, its application."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

import click
from flask import Flask

from app.agent.runtime import Services
from app.config import Settings

P = ParamSpec("P")
R = TypeVar("R")


class Installation:
    """Settings from the environment with what the command line puts over them."""

    def __init__(self, *, data: str | None = None) -> None:
        self._overrides: dict[str, Any] = {} if data is None else {"data": data}

    def override(self, **values: Any) -> None:
        """Put ``values`` over the settings; None leaves a setting as it is. Before the first use of ``settings``."""
        self._overrides.update({name: value for name, value in values.items() if value is not None})

    @cached_property
    def settings(self) -> Settings:
        """The settings in force. A value that cannot be read ends the command."""
        try:
            return Settings.from_environment(**self._overrides)
        except ValueError as error:
            raise click.ClickException(f"{error}.") from error

    @cached_property
    def app(self) -> Flask:
        """The application."""
        from app import create_app

        try:
            return create_app(self.settings)
        except OSError as error:
            raise click.ClickException(f"The data folder {self.settings.data_folder} cannot be used.") from error

    @property
    def services(self) -> Services:
        """What the application was wired with."""
        services: Services = self.app.extensions["imprimatur"]
        return services

    def link(self, path: str, *, port: int | None = None) -> str:
        """An absolute link to a page of the installation; ``port`` is the one really listened on."""
        base = self.settings.base_url.rstrip("/") or f"http://{_host(self.settings.host)}:{port or self.settings.port}"
        return base + path

    def close(self) -> None:
        """Let go of the connections of a command that is over."""
        if "app" not in self.__dict__:
            return
        from app.core.db import db

        with self.app.app_context():
            for engine in db.engines.values():
                engine.dispose()


def in_application(command: Callable[Concatenate[Installation, P], R]) -> Callable[P, R]:
    """Run a command with its ``Installation`` as first argument, inside the application."""

    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        installation = click.get_current_context().find_object(Installation) or Installation()
        with installation.app.app_context():
            return command(installation, *args, **kwargs)

    return update_wrapper(inside, command)


def echo_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print rows in columns that are as wide as their widest value."""
    lines = [[str(value) for value in row] for row in (head, *rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    for line in lines:
        click.echo("  ".join(value.ljust(width) for value, width in zip(line, widths, strict=True)).rstrip())


def yes(value: object) -> str:
    """A flag as a word."""
    return "yes" if value else "no"


def _host(host: str) -> str:
    if host in {"", "0.0.0.0", "::"}:  # noqa: S104  listening everywhere; people use this machine's own name
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
