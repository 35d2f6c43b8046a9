"""The tree can be taken to another machine, and the lock files fit the project."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.house.sources import ROOT, read

_MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root|home/\w+|Users/\w+|opt/wheels|tmp/[\w-]+)/")
_REGISTRY = re.compile(
    r"(?i)pypi\.org/simple|pythonhosted\.org|registry\.npmjs\.org|registry\.yarnpkg\.com|artifactory|nexus/repository"
    r"|--(?:extra-)?index-url|--trusted-host|--find-links"
)
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", flags=re.MULTILINE)
_SKIPPED_FOLDERS = {"__pycache__", "build", "instance", "vendor", "node_modules"}
_TEXT_SUFFIXES = {"", ".cfg", ".css", ".html", ".ini", ".js", ".json", ".lock", ".mako", ".md", ".po", ".pot", ".py"}
_TEXT_SUFFIXES |= {".sh", ".svg", ".toml", ".txt", ".yaml", ".yml"}


def tree() -> list[Path]:
    """The text files of this checkout that are, or would be, under version control; vendored ones excepted."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        listed = subprocess.run(  # noqa: S603
            [git, "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        paths = [ROOT / part for part in listed.stdout.split("\0") if part]
    else:
        paths = list(ROOT.rglob("*"))
    inside = [path for path in paths if not any(map(_is_skipped, path.relative_to(ROOT).parts[:-1]))]
    return sorted(path for path in inside if path.is_file() and path.suffix in _TEXT_SUFFIXES)


def _is_skipped(folder: str) -> bool:
    return folder in _SKIPPED_FOLDERS or (folder.startswith(".") and folder != ".ci")


def pins(path: Path) -> dict[str, str]:
    """Distribution -> version of a lock file."""
    return {found.lower().replace("_", "-"): version for found, version in _PIN.findall(read(path))}


def lock_problems(requirements: list[str], locked: dict[str, str]) -> list[str]:
    """Requirements that a lock file does not hold as they are written."""
    found = []
    for requirement in map(Requirement, requirements):
        version = locked.get(requirement.name.lower().replace("_", "-"))
        if version is None:
            found.append(f"{requirement.name} is not locked")
        elif not requirement.specifier.contains(version, prereleases=True):
            found.append(f"{requirement.name} is locked at {version}, the project wants {requirement.specifier}")
    return found


def unhashed(source: str) -> list[str]:
    """Pins of a lock file that no hash protects."""
    blocks = re.split(r"^(?=[A-Za-z0-9])", source, flags=re.MULTILINE)
    return [block.split("==")[0] for block in blocks if "==" in block and "--hash=sha256:" not in block]


def hits(pattern: re.Pattern[str]) -> dict[str, str]:
    """First hit of ``pattern`` in every file of the tree but this one."""
    own = Path(__file__).resolve()
    found = {}
    for path in tree():
        if path.resolve() != own and (match := pattern.search(path.read_text(encoding="utf-8", errors="replace"))):
            found[path.relative_to(ROOT).as_posix()] = match.group()
    return found


def test_it_names_no_folder_of_one_machine() -> None:
    found = hits(_MACHINE_PATH)
    assert not found, f"a path of one machine does not exist on the next: {found}"


def test_it_names_no_registry() -> None:
    found = hits(_REGISTRY)
    assert not found, f"where packages come from is the machine's setting, not the project's: {found}"


@pytest.mark.parametrize("lock", ["requirements.lock", "tests/requirements.lock"])
def test_it_locks_what_the_project_asks_for(lock: str) -> None:
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    wanted = list(project["dependencies"])
    if lock.startswith("tests/"):
        wanted += project["optional-dependencies"]["dev"]
    found = lock_problems(wanted, pins(ROOT / lock))
    assert not found, f"{lock} is older than pyproject.toml; compile it again: {found}"


@pytest.mark.parametrize("lock", ["requirements.lock", "tests/requirements.lock"])
def test_it_locks_by_hash(lock: str) -> None:
    found = unhashed(read(ROOT / lock))
    assert not found, f"a pin without a hash accepts a package that was exchanged: {found}"


def test_it_tests_the_versions_it_ships() -> None:
    shipped, tested = pins(ROOT / "requirements.lock"), pins(ROOT / "tests/requirements.lock")
    found = {
        package: (version, tested.get(package))
        for package, version in shipped.items()
        if tested.get(package) != version
    }
    assert not found, f"shipped and tested versions differ; compile both lock files again: {found}"


def test_it_notices_what_is_wrong() -> None:
    assert _MACHINE_PATH.search("see /home/anna/x")
    assert not _MACHINE_PATH.search("app/web/home/page and https://example.org/home/")
    assert _REGISTRY.search("--index-url https://example.org")
    assert lock_problems(["flask==3.1.3", "nh3"], {"flask": "3.1.2"}) == [
        "flask is locked at 3.1.2, the project wants ==3.1.3",
        "nh3 is not locked",
    ]
    assert unhashed("a==1 \\\n    --hash=sha256:00\nb==2\n") == ["b"]
