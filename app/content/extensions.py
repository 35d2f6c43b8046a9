"""What installed packages add to the content store: record tables, hooks, migrations (docs/extending.md).

A package names them as entry points. What is wrong with one stops the start with a sentence, because a table or a
hook that is silently missing would change what a card promises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from app.content import columns
from app.content.hooks import HOOKS, Hooks
from app.content.traits import TableTrait
from app.core.errors import AppError
from app.core.i18n import Text, text

TABLES, HOOK_GROUP, MIGRATIONS = "imprimatur.tables", "imprimatur.hooks", "imprimatur.migrations"
_NAME = re.compile(r"[a-z][a-z0-9_]{1,58}")
_GROUPS_OF_COLUMNS = (
    ("versioned", columns.VersionColumns),
    ("soft_delete", columns.SoftDeleteColumns),
    ("has_language", columns.LanguageColumns),
    ("can_hide", columns.HiddenColumn),
    ("has_times", columns.TimeColumns),
    ("has_groups", columns.GroupsColumn),
    ("has_sorting", columns.SortingColumn),
)


class ExtensionError(AppError):
    """An installed extension cannot be used; the text names it and says what to change."""


_problems: list[ExtensionError] = []
"""What is wrong with tables of extensions; filled when the registry is made."""


def extension_tables(taken: Collection[str]) -> tuple[TableTrait, ...]:
    """The record tables of installed packages, by the names of their entry points (group ``imprimatur.tables``).

    An entry point is a ``TableTrait`` or a tuple of them. The registry is made when modules are imported, where
    nobody could read a sentence: a problem is kept, and ``install_extensions`` raises it.
    """
    try:
        return tuple(_sound_tables(taken))
    except ExtensionError as error:
        _problems.append(error)
        return ()


def _sound_tables(taken: Collection[str]) -> Collection[TableTrait]:
    found: dict[str, TableTrait] = {}
    for point, loaded in _loaded(TABLES):
        for trait in loaded if isinstance(loaded, tuple) else (loaded,):
            if not isinstance(trait, TableTrait):
                raise _problem(
                    point, text("The extension “%(extension)s” cannot be used: what it names as a table is none.")
                )
            if trait.name in {*taken, *found} or not _NAME.fullmatch(trait.name):
                raise _problem(
                    point,
                    text(
                        "The extension “%(extension)s” cannot be used: the table name “%(name)s” is taken or malformed.",
                        name=trait.name,
                    ),
                )
            _check_columns(point, trait)
            found[trait.name] = trait
    return found.values()


def _check_columns(point: EntryPoint, trait: TableTrait) -> None:
    """Traits say what the columns can do: a trait without its columns would fail at the first write only."""
    present = set(trait.table.c.keys())
    needed = {*_names(columns.RecordColumns), *(field.name for field in trait.fields), *trait.label_fields}
    for name, group in _GROUPS_OF_COLUMNS:
        own = _names(group)
        if getattr(trait, name):
            needed |= own
        elif own & present:
            raise _problem(
                point,
                text(
                    "The extension “%(extension)s” cannot be used: its table “%(name)s” has columns of an undeclared trait.",
                    name=trait.name,
                ),
            )
    if needed - present or not trait.label_fields:
        raise _problem(
            point,
            text(
                "The extension “%(extension)s” cannot be used: its table “%(name)s” lacks columns that its traits need.",
                name=trait.name,
            ),
        )


def _names(group: type) -> frozenset[str]:
    return frozenset(name for name in group.__annotations__ if not name.startswith("_"))


@cache
def install_extensions() -> None:
    """Let installed packages add their hooks (group ``imprimatur.hooks``), once in a process.

    An entry point is a function that takes the ``Hooks`` and appends to its lists. Raises ``ExtensionError`` for the
    first thing that is wrong with an extension: a name that is taken or malformed, traits that the columns of a table
    do not bear out, something that cannot be imported.
    """
    if _problems:
        raise _problems[0]
    for point, register in _loaded(HOOK_GROUP):
        if not callable(register):
            raise _problem(
                point, text("The extension “%(extension)s” cannot be used: what it names as hooks is no function.")
            )
        add: Callable[[Hooks], object] = register
        add(HOOKS)


def migration_folders() -> tuple[Path, ...]:
    """Folders with Alembic revisions of installed packages (group ``imprimatur.migrations``: each a package)."""
    folders: list[Path] = []
    for point, package in _loaded(MIGRATIONS):
        if not isinstance(package, ModuleType) or not package.__file__:
            raise _problem(
                point, text("The extension “%(extension)s” cannot be used: what it names as migrations is no package.")
            )
        folders.append(Path(package.__file__).parent)
    return tuple(folders)


def _loaded(group: str) -> Iterator[tuple[EntryPoint, object]]:
    """Entry points in the order of their names, so that hooks run in the same order on every machine."""
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        try:
            yield point, point.load()
        except (ImportError, AttributeError) as error:
            raise _problem(
                point, text("The extension “%(extension)s” cannot be used: it cannot be imported.")
            ) from error


def _problem(point: EntryPoint, sentence: Text) -> ExtensionError:
    return ExtensionError(f"extension {point.name}: {point.value}", text=sentence.with_params(extension=point.name))
