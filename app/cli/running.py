"""``imprimatur run`` and ``imprimatur runs``: the server, workers, and looking after runs."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Any

import click
from waitress.server import create_server

from app.accounts import service as accounts
from app.agent.halting import halt_runs, resume_runs
from app.agent.reaping import expire_cards, reap, resume_waiting
from app.agent.retention import purge_attempts, purge_contents, purge_governance
from app.agent.worker import start_workers
from app.cli.database import upgrade_tables
from app.cli.installation import Installation, in_application
from app.cli.seeding import PEOPLE_FILE, add_demo, has_demo_people, require_loopback
from app.core.db import transaction
from app.seed.installation import install_site

_THREADS = 8
_PORT = click.IntRange(min=0, max=65_535)
_DAYS = click.IntRange(min=0)


@click.group()
def run() -> None:
    """Serve the site and work on assignments."""


@run.command()
@click.option("--port", type=_PORT, help="Port to listen on; 0 takes a free one.")
@click.option("--host", help="Address to listen on.")
def serve(port: int | None, host: str | None) -> None:
    """Serve an installation that is set up, with its workers in the same process."""
    _listen_for_stop()
    _installation().override(port=port, host=host)
    _serve(lambda _link: None)


@run.command()
@click.option("--port", type=_PORT, help="Port to listen on; 0 takes a free one.")
@click.option("--data", metavar="DIR", help="Data folder, instead of IMPRIMATUR_DATA.")
@click.option("--demo", is_flag=True, help="Fill a new installation with the demo museum.")
def start(port: int | None, data: str | None, demo: bool) -> None:
    """Set up what is missing, then serve. A later start keeps everything there is."""
    _listen_for_stop()
    _installation().override(port=port, data=data)
    _set_up(demo)
    _serve(_invite_administrator)


@run.command()
@click.option("--threads", type=click.IntRange(min=1), help="Assignments worked on at the same time.")
@in_application
def worker(installation: Installation, threads: int | None) -> None:
    """Work on assignments in a process of its own, on as many machines as needed."""
    _listen_for_stop()
    threads = threads or installation.settings.workers or 1
    with ExitStack() as stack:
        workers = start_workers(installation.app, installation.services.runtime, threads)
        stack.callback(workers.stop)
        click.echo("Worker ready.")
        while True:
            signal.pause()


@click.group()
def runs() -> None:
    """Look after runs."""


@runs.command("reap")
@in_application
def reap_command(installation: Installation) -> None:
    """Take runs from workers that died or whose wait is over, and end cards that waited too long. Workers do this by themselves."""
    runtime = installation.services.runtime
    taken = (*reap(runtime), *resume_waiting(runtime))
    for uuid in taken:
        runtime.wake(uuid)
    expired = expire_cards(runtime)
    click.echo(f"queued again {len(taken)}, expired {len(expired)}")


@runs.command("halt")
@click.option("--reason", required=True, help="Why; administrators read it on the page /runs.")
@in_application
def halt_command(_installation: Installation, reason: str) -> None:
    """Stop every run before its next step and let none begin, until "runs resume". Waiting ones stay."""
    stopped = halt_runs(None, reason)
    click.echo(f"Every assignment is halted. Stopping now: {stopped}.")


@runs.command("resume")
@in_application
def resume_command(installation: Installation) -> None:
    """Let runs begin and go on again after "runs halt"."""
    queued = resume_runs(None, installation.services.runtime)
    click.echo(f"Assignments go on. Queued: {queued}.")


@runs.command("purge")
@click.option("--content-days", type=_DAYS, default=0, help="Remove the contents of runs that ended longer ago.")
@click.option("--governance-days", type=_DAYS, default=0, help="Remove refusals recorded longer ago.")
@click.option("--attempts-days", type=_DAYS, default=0, help="Remove counted sign-ins, messages and decisions.")
@in_application
def purge_command(_installation: Installation, content_days: int, governance_days: int, attempts_days: int) -> None:
    """Remove what is older than the days named; 0, the default, keeps everything of that kind.

    Of a run only its texts go. What happened, decisions and the lists of changes stay.
    """
    contents = purge_contents(content_days)
    refusals = purge_governance(governance_days)
    attempts = purge_attempts(attempts_days)
    click.echo(f"removed the contents of {contents} runs, {refusals} refusals, {attempts} attempts")


def _installation() -> Installation:
    return click.get_current_context().find_object(Installation) or Installation()


@in_application
def _set_up(installation: Installation, demo: bool) -> None:
    upgrade_tables()
    folder = installation.settings.data_folder
    if demo and not add_demo(installation):
        kept = f"The demo is there already; its people are in {folder / PEOPLE_FILE}."
        click.echo(
            kept if has_demo_people(folder) else "There is a site already; it was left as it is, without the demo."
        )
    if not demo:
        with transaction() as connection:
            install_site(connection, installation.settings)


def _invite_administrator(link: Callable[[str], str]) -> None:
    """Without an administrator nobody could begin: a one-time link makes the first one (D17)."""
    with transaction() as connection:
        token = None if accounts.has_administrator(connection) else accounts.create_link(connection, "setup")
    if token is not None:
        click.echo(f"Create the first administrator here within {accounts.LINK_DAYS} days:")
        click.echo(link(f"/setup/{token}"))


@in_application
def _serve(installation: Installation, greet: Callable[[Callable[[str], str]], None]) -> None:
    """Serve until a stop signal: workers take nothing new and end their steps, then the server closes."""
    settings = installation.settings
    if has_demo_people(settings.data_folder):
        require_loopback(settings.host)
    with ExitStack() as stack:
        server = _open(installation)
        stack.callback(server.close)
        if settings.workers:
            workers = start_workers(installation.app, installation.services.runtime, settings.workers)
            stack.callback(workers.stop)
        port = _port(server)
        try:
            greet(lambda path: installation.link(path, port=port))
            click.echo(f"Ready: http://{_shown(settings.host)}:{port}")
            server.run()
        except SystemExit:
            return  # the signal came before the loop that would have caught it


def _open(installation: Installation) -> Any:
    settings = installation.settings
    try:
        return create_server(installation.app, host=settings.host, port=settings.port, threads=_THREADS, ident=None)
    except OSError as error:
        raise click.ClickException(
            f"Port {settings.port} of {settings.host} cannot be used: another program has it, or it is not allowed."
        ) from error


def _port(server: Any) -> int:
    listened: list[tuple[str, int]] | None = getattr(server, "effective_listen", None)
    return int(listened[0][1] if listened else server.effective_port)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listen_for_stop() -> None:
    """The first stop signal ends the loop in order; what still runs then is not cut short by a second one."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
