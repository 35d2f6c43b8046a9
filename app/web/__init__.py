"""Flask only: routes, guards, forms, rendering. Sits on top of ``chat``."""

from __future__ import annotations

from flask import Flask

from app.agent.runtime import Services


def install(app: Flask, services: Services) -> None:
    """Wire the web layer."""
