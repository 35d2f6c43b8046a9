"""The web: parses requests, guards them, asks one use case and renders. The only package besides the factory that knows Flask.

May import everything below; nothing imports it but the factory.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from flask import Flask

from app.agent.runtime import Services
from app.web import addresses, confirming, current, errors, guards, locale, security

BLUEPRINTS: Final = (
    "home",
    "auth",
    "setup",
    "sessions",
    "preferences",
    "pages",
    "records",
    "editing",
    "record_commands",
    "record_places",
    "files",
    "files_record",
    "files_bytes",
    "workspaces",
    "workspace_acts",
    "info",
    "operating",
    "conversations",
    "messages",
    "changes",
    "readers",
    "cards",
    "updates",
    "runs",
    "running",
    "approvals",
    "prompts",
    "configurations",
    "configuration_forms",
    "configuration_policy",
    "tools",
    "people",
    "groups",
    "governance",
    "site",
    "site_files",
    "exports",
)
"""Modules of this package, each with a blueprint ``bp``."""


def install(app: Flask, services: Services) -> None:
    """Wire the web layer into ``app``; the order of the parts is the order of their checks: shape, forgery, rights."""
    addresses.install(app)
    security.install(app, services.settings)
    current.install(app)
    guards.install(app)
    confirming.install(app)
    locale.install(app)
    errors.install(app)
    for name in BLUEPRINTS:
        app.register_blueprint(import_module(f"app.web.{name}").bp)
