"""Rules of installed packages (group ``imprimatur.rules``, docs/rules.md): they can only restrict (DW-24)."""

from __future__ import annotations

import time
from importlib.metadata import entry_points
from typing import cast

from app.core.errors import AppError
from app.core.i18n import text
from app.policy.invocation import InvocationPolicy, InvocationRule, UnsuitableRule
from app.policy.rules import built_in_policy

GROUP = "imprimatur.rules"


class RuleError(AppError):
    """A rule of an extension cannot be used; the start stops, because without it more would be allowed."""


def installed_policy() -> InvocationPolicy:
    """The built-in rules and those of installed packages, in the order of their entry points' names.

    An entry point is a class or function that gives a rule when called without arguments. Raises ``RuleError`` for one
    that cannot be imported or called, whose result cannot decide, or whose id is malformed or taken.
    """
    rules = [_rule(point.name, point.load) for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)]
    try:
        return built_in_policy(rules, timer=time.monotonic)
    except UnsuitableRule as error:
        sentence = text("A rule of an extension has an id that is malformed or used twice.")
        raise RuleError(str(error), text=sentence) from error


def _rule(name: str, load: object) -> InvocationRule:
    try:
        rule = load()() if callable(load) else None
    except Exception as error:
        sentence = text(
            "The rule of the extension “%(extension)s” cannot be used: it cannot be loaded.", extension=name
        )
        raise RuleError(f"rule {name}: {type(error).__name__}", text=sentence) from error
    if not callable(getattr(rule, "decide", None)):
        sentence = text("The rule of the extension “%(extension)s” cannot be used: it cannot decide.", extension=name)
        raise RuleError(f"rule {name}: no decide", text=sentence)
    return cast(InvocationRule, rule)
