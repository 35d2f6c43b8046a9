"""The main path of the product on PostgreSQL: migrate, demo, propose, approve, list (D3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import create_app
from app.accounts.identities import find_identity
from app.agent import approvals
from app.agent.draining import RecordingDispatcher
from app.agent.llm.registry import make_model
from app.agent.runtime import Runtime
from app.agent.tools import built_in_tools
from app.agent.tools.registry import ToolRegistry
from app.chat import changes, pages, service
from app.config import Settings
from app.core import crypto
from app.core.db import READING, db, reading, transaction
from app.policy.identity import Identity
from app.policy.rules import built_in_policy
from app.seed.demo import DemoSite, install_demo
from tests.support.database import migrate

pytestmark = pytest.mark.postgres


@pytest.fixture
def product(postgres_url: str, tmp_path: Path) -> Iterator[tuple[Runtime, RecordingDispatcher, DemoSite]]:
    """The demo on PostgreSQL with the built-in assistant."""
    settings = Settings.from_environment({}, data=str(tmp_path), database_url=postgres_url, workers=0)
    settings.data_folder.mkdir(parents=True, exist_ok=True)
    dispatcher = RecordingDispatcher()
    runtime = Runtime(
        registry=ToolRegistry(built_in_tools()),
        policy=built_in_policy(),
        cipher=crypto.Cipher(crypto.load_keys(settings.data_folder)),
        make_model=make_model,
        wake=dispatcher.wake,
        settings=settings,
    )
    app = create_app(settings, runtime=runtime)
    with app.app_context():
        migrate()
        with transaction() as connection:
            site = install_demo(connection, settings)
        assert site is not None
        yield runtime, dispatcher, site
        db.engine.dispose()
        db.engines[READING].dispose()


def who(site: DemoSite, username: str) -> Identity:
    with reading() as connection:
        found = find_identity(connection, site.people.users[username])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("request_words", "records"),
    [
        ("Copy the page 'Visit' with its subpages below 'About us'", 19),
        ("Translate the page 'Opening hours' into German and hide the old one", 5),
        ("Lösche die Seite „Tickets and tours“", 2),
    ],
)
def test_it_proposes_approves_and_lists(
    product: tuple[Runtime, RecordingDispatcher, DemoSite], request_words: str, records: int
) -> None:
    runtime, dispatcher, site = product
    anna = who(site, "anna")
    conversation = service.create_conversation(anna, None)
    service.send_message(anna, conversation, request_words, "token", runtime)
    dispatcher.drain(runtime)
    with reading() as connection:
        page = pages.read_conversation(connection, anna, conversation, runtime)
    card = page.messages[-1].card
    assert card is not None
    approvals.decide(anna, card.run_uuid, approve=True, digest=card.digest, token="t", reason="", runtime=runtime)
    dispatcher.drain(runtime)
    with reading() as connection:
        listed = changes.read_changes(connection, anna, conversation, site_name="Town Museum")
        after = pages.read_conversation(connection, anna, conversation, runtime)
    assert after.view.status == "idle"
    assert len(listed.records) == records
    assert {fact.value for record in listed.records for fact in record.facts if fact.name == "workspace"} == {1}
