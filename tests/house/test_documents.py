"""What is documented exists, and what exists is documented."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement

from tests.house.sources import ROOT, files, modules, name, read

PREFIX = "IMPRIMATUR_"
PROMISED = ("DATA", "DATABASE_URL", "BASE_URL", "HOST", "TRUSTED_PROXIES", "TIMEZONE", "SITE_NAME", "LANGUAGES")
"""Settings that operators have been told about; renaming one breaks their installation silently."""

_DEPENDENCY_ROW = re.compile(r"^\| `([\w.-]+)` \|", flags=re.MULTILINE)


@cache
def settings() -> dict[str, str]:
    """Name in the environment -> meaning. The module is loaded alone: this check needs no working application."""
    module_name = "settings_under_inspection"
    spec = importlib.util.spec_from_file_location(module_name, ROOT / "app/config.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return {PREFIX + item.name.upper(): str(item.metadata.get("meaning", "")) for item in fields(module.Settings)}


def environment_reads(source: str) -> list[int]:
    """Lines that read the environment of the process."""
    tree = ast.parse(source)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")]
    return sorted({node.lineno for node in found if isinstance(node.value, ast.Name) and node.value.id == "os"})


def mentioned(source: str) -> set[str]:
    """Names of settings in ``source``; the beginning of a name does not count."""
    return set(re.findall(rf"\b{PREFIX}[A-Z][A-Z0-9_]*[A-Z0-9]\b", source))


def normal(requirement: str) -> str:
    """The name of the distribution in ``requirement``."""
    return Requirement(requirement).name.lower().replace("_", "-")


def direct_dependencies() -> set[str]:
    """The distributions pyproject.toml names."""
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    return {normal(requirement) for group in groups for requirement in group}


def test_it_gives_every_setting_a_meaning() -> None:
    found = [setting for setting, meaning in settings().items() if not meaning.strip().endswith(".")]
    assert not found, f"`imprimatur settings` is where operators look; these settings have no sentence there: {found}"


def test_it_keeps_the_promised_settings() -> None:
    missing = [PREFIX + setting for setting in PROMISED if PREFIX + setting not in settings()]
    assert not missing, f"operators have set these; a renamed setting is ignored without a word: {missing}"


def test_it_mentions_settings_that_exist() -> None:
    places = [*modules(), *files("bin", "*"), *files("docs", "*.md"), *[p for p in [ROOT / "README.md"] if p.is_file()]]
    found = {name(path): sorted(bad) for path in places if (bad := mentioned(read(path)) - settings().keys())}
    assert not found, f"a setting that does not exist is ignored without a word: {found}"


def test_it_reads_the_environment_in_one_module() -> None:
    found = {name(path): lines for path in modules() if (lines := environment_reads(read(path)))}
    found.pop("app/config.py", None)
    assert not found, f"only app/config.py reads the environment, so that every setting is listed: {found}"


def test_it_gives_a_reason_for_every_dependency() -> None:
    listed = set(_DEPENDENCY_ROW.findall(read(ROOT / "docs/dependencies.md")))
    wanted = direct_dependencies()
    assert listed == wanted, (
        "docs/dependencies.md says of every direct dependency what it is for; "
        f"missing there: {sorted(wanted - listed)}, no longer used: {sorted(listed - wanted)}"
    )


def test_it_lists_every_decision_record() -> None:
    index = read(ROOT / "docs/adr/README.md")
    found = [name(path) for path in files("docs/adr", "[0-9]*.md") if f"({path.name})" not in index]
    assert not found, f"a decision nobody finds is taken again; docs/adr/README.md lacks: {found}"


def test_it_links_to_files_that_exist() -> None:
    found = {name(path): bad for path in _documents() if (bad := broken_links(path))}
    assert not found, f"links to files that do not exist: {found}"


def _documents() -> list[Path]:
    return [*files("docs", "*.md"), *[path for path in [ROOT / "README.md"] if path.is_file()]]


def broken_links(path: Path) -> list[str]:
    """Relative links of a document that lead nowhere."""
    targets = re.findall(r"\]\(([^)#\s]+)", read(path))
    return [target for target in targets if "://" not in target and not (path.parent / target).exists()]


def test_it_notices_what_is_wrong(tmp_path: Path) -> None:
    assert environment_reads("import os\nx = os.environ['A']\ny = os.getenv('B')\nz = app.environ") == [2, 3]
    assert mentioned("IMPRIMATUR_DATA and IMPRIMATUR_ and IMPRIMATUR_XY") == {"IMPRIMATUR_DATA", "IMPRIMATUR_XY"}
    document = tmp_path / "a.md"
    document.write_text("[here](a.md) [gone](b.md) [far](https://example.org)", encoding="utf-8")
    assert broken_links(document) == ["b.md"]
