"""``imprimatur conversation``: who else may read one."""

from __future__ import annotations

import click

from app.chat.readers import share_conversation, take_back
from app.cli.installation import Installation, in_application
from app.core.db import transaction
from app.core.i18n import SOURCE_LOCALE, render


@click.group()
def conversation() -> None:
    """Conversations."""


@conversation.command("share")
@click.argument("conversation_id", metavar="ID", type=click.IntRange(min=1))
@click.option("--to", "name", required=True, metavar="NAME", help="Sign-in name of a person or title of a group.")
@click.option("--take-back", "is_end", is_flag=True, help="End the access instead.")
@in_application
def share(_installation: Installation, conversation_id: int, name: str, is_end: bool) -> None:
    """Let a person or a group read a conversation."""
    with transaction() as connection:
        done = (take_back if is_end else share_conversation)(connection, conversation_id, name)
    click.echo(render(done, SOURCE_LOCALE))
