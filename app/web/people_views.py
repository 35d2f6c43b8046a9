"""What the pages about people show, for administrators."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts import sessions
from app.accounts.directory import list_people, read_person
from app.accounts.rights_summary import summarize_rights
from app.accounts.values import ACTIVE, ADMINISTRATORS, DISABLED, PeoplePart, PersonEntry, PersonRecord
from app.config import Settings
from app.core import clock
from app.core.i18n import Text, text
from app.web.rights_words import RightsArea, rights_areas

REFERENCE = 16
"""Signs of the hash by which a sign-in is named in forms."""
STATES: tuple[tuple[str, Text], ...] = (
    ("", text("Everybody")),
    (ACTIVE, text("May sign in now")),
    (DISABLED, text("Disabled")),
    (ADMINISTRATORS, text("Administrators")),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleView:
    """The list."""

    part: PeoplePart
    words: str
    state: str
    pages_url: str

    @property
    def people(self) -> tuple[PersonEntry, ...]:
        """Those of this part."""
        return self.part.people


@dataclass(frozen=True, kw_only=True, slots=True)
class SignInView:
    """A signed-in browser of a person."""

    reference: str
    browser: str
    opened_at: int
    seen_at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonView:
    """The page about a person."""

    id: int
    username: str
    name: str
    facts: tuple[tuple[str, Text], ...]
    """Kind of the badge and its words."""
    may_act: bool
    is_admin: bool
    main_group: str
    areas: tuple[RightsArea, ...]
    sign_ins: tuple[SignInView, ...]


def people_view(connection: Connection, words: str, state: str, part: int, pages_url: str) -> PeopleView:
    """The list as asked for."""
    found = list_people(connection, words=words, state=state, part=part)
    return PeopleView(part=found, words=words, state=state, pages_url=pages_url)


def person_view(connection: Connection, user_id: int, settings: Settings) -> PersonView:
    """Everything about a person but the form. Raises ``NotFound``."""
    person = read_person(connection, user_id)
    summary = summarize_rights(connection, user_id)
    return PersonView(
        id=person.id,
        username=person.values.username,
        name=person.shown_name,
        facts=facts_of(person),
        may_act=person.may_act,
        is_admin=person.values.is_admin,
        main_group=summary.main_group,
        areas=rights_areas(connection, summary),
        sign_ins=_sign_ins(user_id, settings),
    )


def facts_of(person: PersonRecord) -> tuple[tuple[str, Text], ...]:
    """What stands beside the name of a person."""
    found: list[tuple[str, Text]] = []
    if person.values.is_admin:
        found.append(("info", text("Administrator")))
    if person.values.disabled:
        found.append(("warn", text("Disabled")))
    elif not person.may_act:
        found.append(("warn", text("Outside the times of sign-in")))
    if not person.has_password:
        found.append(("warn", text("No password yet")))
    return tuple(found)


def _sign_ins(user_id: int, settings: Settings) -> tuple[SignInView, ...]:
    now = clock.now()
    return tuple(
        SignInView(
            reference=str(row["token_hash"])[:REFERENCE],
            browser=str(row["user_agent"]),
            opened_at=int(row["created_at"]),
            seen_at=int(row["seen_at"]),
        )
        for row in sessions.list_sessions(user_id)
        if int(row["seen_at"]) > now - settings.session_idle_minutes * 60
        and int(row["created_at"]) > now - settings.session_hours * 3600
    )
