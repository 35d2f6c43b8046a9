"""A PostgreSQL server for the tests: made in a temporary folder, on a free loopback port, ended with the session.

``postgres_url`` is the address of a fresh, empty database. The server starts at the first test that asks for it. A
machine without the server programs skips those tests and says so; with ``CI=true`` they fail there, so that a check
that counts is never silently smaller.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

USER = "imprimatur"
MISSING = (
    "PostgreSQL's server programs (initdb, postgres) were not found; install the package postgresql to run these tests"
)
_START_SECONDS = 30.0
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # the path of a socket in a deep temporary folder can be too long
    "fsync": "off",  # the folder is thrown away; a crash of the machine may lose it
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "timezone": "UTC",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PostgresServer:
    """A running server: loopback port, password of the owner, and process id."""

    port: int
    password: str
    pid: int

    def url(self, database: str) -> str:
        """The SQLAlchemy address of ``database``."""
        return f"postgresql+psycopg://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def create_database(self, name: str, *, template: str = "template0") -> str:
        """Makes ``name`` as a copy of ``template`` (nobody may be connected to it) and returns its address."""
        self._run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Removes ``name``, ending connections to it."""
        self._run(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _run(self, statement: sql.Composed) -> None:
        with self.connect() as connection:
            connection.execute(statement)

    def connect(self) -> psycopg.Connection:
        """A connection to the maintenance database, in autocommit."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=self.password, dbname="postgres", autocommit=True
        )


def find_programs() -> Path | None:
    """The folder that holds ``initdb`` and ``postgres``, the newest version first; None when there is none."""
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True
    )
    on_path = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    for folder in [*on_path, *installed]:
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    return None


def _server_account() -> pwd.struct_passwd | None:
    """The account the server runs as: PostgreSQL refuses to run as root. None: the present one."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    msg = "running as root, and neither the account postgres nor nobody exists to run PostgreSQL"
    raise RuntimeError(msg)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _initialise(programs: Path, folder: Path, password: str, account: pwd.struct_passwd | None) -> None:
    password_file = folder / "password"
    password_file.write_text(password, encoding="ascii")
    password_file.chmod(0o600)
    if account is not None:
        for path in (folder, password_file):
            os.chown(path, account.pw_uid, account.pw_gid)
    where: list[str | Path] = ["-D", folder / "cluster", "-U", USER, f"--pwfile={password_file}"]
    subprocess.run(  # noqa: S603  the program was found above and takes no input
        [programs / "initdb", *where, "--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", "--no-sync"],
        check=True,
        capture_output=True,
        cwd=folder,
        user=account.pw_uid if account else None,
        group=account.pw_gid if account else None,
        extra_groups=[] if account else None,
    )


def _launch(programs: Path, folder: Path, port: int, account: pwd.struct_passwd | None) -> subprocess.Popen[bytes]:
    options = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    with (folder / "server.log").open("wb") as log:
        return subprocess.Popen(  # noqa: S603
            [programs / "postgres", "-D", folder / "cluster", "-p", str(port), *options],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            start_new_session=True,  # an interrupt of the test run must not end it before the tests have let go
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )


def _wait_until_ready(server: PostgresServer, process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            server.connect().close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                log = (folder / "server.log").read_text(encoding="utf-8", errors="replace")
                pytest.fail(f"PostgreSQL did not start:\n{log}")
            time.sleep(0.05)
        else:
            return


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)  # PostgreSQL's "fast" way: ends the connections, then itself
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=15)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server of this session (of this worker, when tests run in parallel)."""
    programs = find_programs()
    if programs is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    account = _server_account()
    folder = Path(tempfile.mkdtemp(prefix="imprimatur-postgres-"))
    try:
        password, port = secrets.token_urlsafe(18), _free_port()
        _initialise(programs, folder, password, account)
        process = _launch(programs, folder, port, account)
        try:
            server = PostgresServer(port=port, password=password, pid=process.pid)
            _wait_until_ready(server, process, folder)
            yield server
        finally:
            _stop(process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_numbers = count(1)


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of an empty database that only this test uses."""
    name = f"test_{next(_numbers)}"
    yield postgres_server.create_database(name)
    postgres_server.drop_database(name)
