"""``imprimatur bench``: the figures the product is measured by, each on throw-away data (docs/performance.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import click

from app.cli.bench.against_peers import copy_against_wagtail, translate_against_wagtail, versioned_rows
from app.cli.bench.agent import read_calls, stored_bytes, write_calls
from app.cli.bench.contention import polls_beside_copy
from app.cli.bench.copies import copy_against_limit, copy_growth
from app.cli.bench.figures import Reading, Scale, Setup
from app.cli.bench.peers import Peers
from app.cli.bench.publishing import large_publication
from app.cli.bench.reading import change_list
from app.cli.bench.report import as_json, echo_readings, machine
from app.cli.bench.servers import is_server
from app.cli.bench.sizes import crowded_page, histories_against_wagtail, large_tree, long_history
from app.cli.bench.updates import single_writes
from app.cli.bench.web import unchanged_poll
from app.cli.bench.weight import page_weight

FIGURES: Mapping[str, Callable[[Setup], list[Reading]]] = MappingProxyType(
    {
        "W1": copy_against_limit,
        "W2": copy_against_wagtail,
        "W4": copy_growth,
        "W5": single_writes,
        "W6": translate_against_wagtail,
        "W7": versioned_rows,
        "W8": polls_beside_copy,
        "A1": read_calls,
        "A2": write_calls,
        "A4": stored_bytes,
        "P2": unchanged_poll,
        "C2": change_list,
        "C6": histories_against_wagtail,
        "R1": crowded_page,
        "R2": large_tree,
        "R3": long_history,
        "R4": large_publication,
        "B1": page_weight,
    }
)
ON_SERVERS = ("W1", "W2", "W4", "W5", "W6", "W7", "W8", "C6", "R1", "R2", "R3", "R4")
"""Figures of the database; the others are of the process and its own files."""
ALL = "all"
FEWEST_ROUNDS = 5
_SIZES = {"full": Scale(), "tiny": Scale.tiny()}
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_PROGRAM = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("figures", nargs=-1, metavar="[ID...|all]", type=click.Choice([*FIGURES, ALL], case_sensitive=False))
@click.option(
    "--rounds", type=click.IntRange(min=1), default=FEWEST_ROUNDS, show_default=True, help="Rounds per figure."
)
@click.option("--size", type=click.Choice(list(_SIZES)), default="full", hidden=True, help="For tests.")
@click.option("--json", "as_data", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--peers", metavar="DIR", type=_FOLDER, help="Folder with the scripts of other programs to pair with.")
@click.option("--peer-python", metavar="PATH", type=_PROGRAM, help="Python that has their packages.")
@click.option(
    "--database-url",
    metavar="URL",
    default="",
    envvar="IMPRIMATUR_DATABASE_URL",
    help="PostgreSQL server to measure on, in databases made for it; for W1 to W8, C6 and R1 to R4.",
)
def bench(
    figures: tuple[str, ...],
    rounds: int,
    size: str,
    as_data: bool,
    peers: Path | None,
    peer_python: Path | None,
    database_url: str,
) -> None:
    """Measure what the product needs against its limits. Uses data of its own, never those of the installation."""
    offered = ON_SERVERS if is_server(database_url) else tuple(FIGURES)
    wanted = list(offered) if not figures or ALL in figures else list(dict.fromkeys(figures))
    if not set(wanted) <= set(offered):
        raise click.UsageError(f"On a server only these are measured: {', '.join(offered)}.")
    python = None if peer_python is None else peer_python.absolute()
    setup = Setup(
        rounds=rounds,
        scale=_SIZES[size],
        peers=Peers(folder=peers, python=python, server_url=database_url),
        server_url=database_url,
    )
    readings: list[Reading] = []
    failed: list[str] = []
    for name in wanted:
        click.echo(f"measuring {name}", err=True)
        try:
            readings += FIGURES[name](setup)
        except OSError as error:  # the figures taken so far have cost minutes
            failed.append(f"{name} could not be measured: {error}.")
    if as_data:
        click.echo(as_json(readings, rounds))
    else:
        click.echo(", ".join(f"{name} {value}" for name, value in machine().items()) + f", {rounds} rounds")
        echo_readings(readings)
    if failed:
        raise click.ClickException(" ".join(failed))
