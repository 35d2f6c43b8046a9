"""Figures on a server: in databases of their own, which are gone at the end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy import text as sql

from app.cli.bench import FIGURES, ON_SERVERS
from app.cli.bench.figures import Scale, Setup
from app.cli.bench.peers import Peers
from app.cli.bench.servers import is_server, temporary_database
from app.cli.bench.timing import cpu_seconds, wall_seconds
from tests.cli.conftest import Commands

SERVER = "postgresql+psycopg://somebody:secret@127.0.0.1:1/none"


def databases(url: str) -> list[str]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = connection.execute(sql("SELECT datname FROM pg_database")).scalars().all()
    engine.dispose()
    return [name for name in found if name.startswith("imprimatur_bench_")]


@pytest.mark.postgres
@pytest.mark.parametrize("name", ["W1", "W6", "C6", "R4"])
def test_it_measures_on_a_server_and_leaves_nothing_there(name: str, postgres_url: str) -> None:
    readings = FIGURES[name](Setup(rounds=1, scale=Scale.tiny(), server_url=postgres_url))
    assert {reading.figure for reading in readings} == {name}
    assert databases(postgres_url) == []


@pytest.mark.postgres
def test_it_gives_peers_a_database_and_keeps_the_password_off_their_command_line(
    postgres_url: str, tmp_path: Path
) -> None:
    script = "import json, os, sys\nprint(json.dumps({'word': sys.argv[1], 'known': bool(os.environ['PGPASSWORD'])}))\n"
    (tmp_path / "peer.py").write_text(script, encoding="utf-8")
    peers = Peers(folder=tmp_path, python=Path(sys.executable), server_url=postgres_url)
    with peers.database() as database:
        (line,) = peers.run("peer.py", database)
        assert databases(postgres_url)[0] in database
    assert line["known"]
    assert line["word"].startswith("postgresql://imprimatur@127.0.0.1:")
    assert databases(postgres_url) == []


def test_it_takes_wall_seconds_on_a_server_only() -> None:
    here, there = Setup(rounds=1), Setup(rounds=1, server_url=SERVER)
    assert (here.clock, here.measure) == (cpu_seconds, "cpu")
    assert (there.clock, there.measure) == (wall_seconds, "wall")
    assert [is_server(url) for url in ("", "sqlite:///x.db", SERVER)] == [False, False, True]


def test_it_refuses_figures_that_are_none_of_a_database(empty: Commands) -> None:
    result = empty("bench", "B1", "--database-url", SERVER)
    assert result.exit_code == 2
    assert "W1" in result.output
    assert set(ON_SERVERS) < set(FIGURES)


def test_it_says_when_the_server_cannot_be_used() -> None:
    with pytest.raises(OSError, match="could not be made"), temporary_database(SERVER):
        pass
