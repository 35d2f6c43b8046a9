"""The inbox in words: what waits and whether this person may approve it, what was decided lately and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.agent.attribution import Attribution, attribute
from app.agent.card_contents import find_newest_cards
from app.agent.cards import CardRow, DecisionRow
from app.agent.configurations import ConfigurationView, list_configurations
from app.agent.inbox import (
    RECENT_DAYS,
    WAITING_LISTED,
    EndedRun,
    WaitingFilter,
    WaitingGroup,
    count_waiting,
    list_ended,
    list_waiting,
    list_waiting_groups,
)
from app.agent.objections import UNREADABLE, Ground, Objection, expires_at, find_objections
from app.agent.run_rows import RunView
from app.agent.runs import may_cancel_run, may_read_run
from app.agent.runtime import Runtime
from app.agent.types import Reason, RunStatus
from app.chat import links
from app.core.i18n import Text, ntext, ptext, text
from app.core.moments import Moment
from app.core.visible import visible
from app.policy.identity import GRANT_APPROVE, Identity

DAYS = (1, 3, 7)
"""Ages the filter offers: waiting at least so many days."""
ATTRIBUTIONS: Mapping[Attribution, tuple[Text, str]] = {
    Attribution.SELF: (text("Approved by the person who asked"), "info"),
    Attribution.UNRESOLVED: (text("Who approved cannot be told"), "warn"),
    Attribution.INITIATOR_UNKNOWN: (text("Who asked cannot be told"), "warn"),
    Attribution.SECOND_PERSON: (text("Approved by a second person"), "ok"),
}
_MAY = text("You may approve this")
_MAY_NOT = text("You may not approve this")
_CANNOT_BE_READ = text("Cannot be read")
_EXPIRED = ptext("approval", "Expired")
_NOTHING = text("Nothing to approve")
_NO_CARD = text("This approval cannot be read any more. The assignment can only be stopped.")
Choices = tuple[tuple[str, Text | str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingTurnView:
    """One turn that waits."""

    run_uuid: str
    url: str
    heading: Text
    asked_by: Text
    configuration: Text | str
    since: int
    expires_at: int | None
    """When it stops waiting; None = never."""
    verdict: Text
    """Whether this person may approve it, in a few words."""
    tone: str
    state: str
    """For scripts and tests: ``may``, or the reason against it."""
    why: Text | None
    """What speaks against it."""
    approvers: Text
    """Who may approve it at all."""
    course_url: str | None
    course: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedTurnView:
    """One assignment that had a card and has ended."""

    run_uuid: str
    url: str
    heading: Text
    asked_by: Text
    configuration: Text | str
    at: int
    decisions: tuple[Text, ...]
    attribution: str
    """Code, empty when nothing was approved."""
    attribution_words: Text | None
    tone: str


@dataclass(frozen=True, kw_only=True, slots=True)
class InboxView:
    """The page."""

    waiting: tuple[WaitingTurnView, ...]
    count: Text
    may_approve: Text | None
    shortened: Text | None
    """Said when more wait than are listed."""
    is_filtered: bool
    has_waiting: bool
    """Whether anything waits when no filter is set."""
    choices: Mapping[str, Choices]
    ended: tuple[EndedTurnView, ...]
    recent_days: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    """Names as they are now."""

    identity: Identity
    names: Mapping[int, str]
    configurations: Mapping[int, ConfigurationView]

    def asked_by(self, run: RunView) -> Text:
        return text("Asked by %(name)s", name=self.names.get(run.owner_id, "?"))

    def configuration(self, number: int) -> Text | str:
        found = self.configurations.get(number)
        return text("The configuration does not exist any more.") if found is None else visible(found.name)


def read_inbox(connection: Connection, identity: Identity, wanted: WaitingFilter, runtime: Runtime) -> InboxView:
    """What waits and what was decided lately, as far as ``identity`` may act on it.

    The number of statements is the same for one turn and for a hundred.
    """
    runs = list_waiting(connection, identity, wanted)
    cards = find_newest_cards(connection, [run.uuid for run in runs])
    known = [(run, cards[run.uuid]) for run in runs if run.uuid in cards]
    objections = find_objections(connection, identity, known, runtime)
    groups = list_waiting_groups(connection, identity)
    ended = list_ended(connection, identity)
    words = _Words(
        identity=identity,
        names=accounts.names_of(connection, sorted(_people(runs, groups, ended))),
        configurations={found.id: found for found in list_configurations(connection)},
    )
    total = count_waiting(connection, identity, wanted)
    allowed = sum(objection is None for objection in objections.values())
    return InboxView(
        waiting=tuple(
            _waiting(words, place, run, cards.get(run.uuid), objections.get(run.uuid), runtime)
            for place, run in enumerate(runs, start=1)
        ),
        count=ntext("%(n)s assignment waits for a decision.", "%(n)s assignments wait for a decision.", total),
        may_approve=_may_approve(allowed) if runs else None,
        shortened=text("Only the %(max)s longest waiting are listed.", max=WAITING_LISTED)
        if total > len(runs)
        else None,
        is_filtered=wanted != WaitingFilter(),
        has_waiting=bool(groups),
        choices=_choices(words, groups, wanted),
        ended=tuple(_ended(words, place, found) for place, found in enumerate(ended, start=1)),
        recent_days=RECENT_DAYS,
    )


def _people(runs: Sequence[RunView], groups: Sequence[WaitingGroup], ended: Sequence[EndedRun]) -> set[int]:
    deciders = {decision.decided_by for found in ended for decision in found.decisions}
    owners = {run.owner_id for run in runs} | {found.run.owner_id for found in ended}
    return deciders | owners | {group.owner_id for group in groups}


def _may_approve(allowed: int) -> Text:
    if allowed == 0:
        return text("You may approve none of those listed here.")
    return ntext("You may approve %(n)s of those listed here.", "You may approve %(n)s of those listed here.", allowed)


def _waiting(
    words: _Words, place: int, run: RunView, card: CardRow | None, objection: Objection | None, runtime: Runtime
) -> WaitingTurnView:
    name = None if run.owner_id == words.identity.user_id else words.names.get(run.owner_id, "?")
    verdict, tone, state, why = _verdict(card, objection)
    may_see_course = may_read_run(words.identity, run)
    return WaitingTurnView(
        run_uuid=run.uuid,
        url=links.card_url(run.uuid, 1),
        heading=_heading(place, name),
        asked_by=words.asked_by(run),
        configuration=words.configuration(run.configuration_id),
        since=run.changed_at,
        expires_at=None if card is None else expires_at(card, words.configurations.get(run.configuration_id), runtime),
        verdict=verdict,
        tone=tone,
        state=state,
        why=why,
        approvers=_approvers(words.configurations.get(run.configuration_id)),
        course_url=f"/runs/{run.uuid}" if may_see_course else None,
        course=text("Course of approval %(place)s, or stop it", place=place)
        if may_cancel_run(words.identity, run)
        else text("Course of approval %(place)s", place=place),
    )


def _heading(place: int, name: str | None) -> Text:
    """The words of a link, different for every entry; None = the person's own."""
    if name is None:
        return text("Approval %(place)s: your own assignment", place=place)
    return text("Approval %(place)s: assignment of %(name)s", place=place, name=name)


def _verdict(card: CardRow | None, objection: Objection | None) -> tuple[Text, str, str, Text | None]:
    """Words, tone, code and reason."""
    if card is None:
        return _CANNOT_BE_READ, "err", UNREADABLE, _NO_CARD
    if objection is None:
        return _MAY, "ok", "may", None
    if objection.reason == UNREADABLE:
        return _CANNOT_BE_READ, "err", UNREADABLE, objection.text
    if objection.ground is Ground.EXPIRED:
        return _EXPIRED, "warn", objection.reason, objection.text
    if objection.ground is Ground.NOTHING_TO_APPROVE:
        return _NOTHING, "warn", objection.reason, objection.text
    return _MAY_NOT, "warn", objection.reason, objection.text


def _approvers(configuration: ConfigurationView | None) -> Text:
    if configuration is not None and configuration.requires_second_approver:
        return text("May be approved by a second person with the right to approve, not by the person who asked.")
    return text("May be approved by the person who asked and by people with the right to approve.")


def _choices(words: _Words, groups: Sequence[WaitingGroup], wanted: WaitingFilter) -> dict[str, Choices]:
    """What the filters offer: what occurs among the waiting turns, and what is set although nothing of it waits now."""
    people = {group.owner_id: words.names.get(group.owner_id, "?") for group in groups}
    kinds = {group.configuration_id: words.configuration(group.configuration_id) for group in groups}
    persons: list[tuple[str, Text | str]] = [
        (str(number), visible(name)) for number, name in sorted(people.items(), key=lambda item: (item[1], item[0]))
    ]
    configurations: list[tuple[str, Text | str]] = [(str(number), title) for number, title in sorted(kinds.items())]
    for number, offered in ((wanted.owner_id, persons), (wanted.configuration_id, configurations)):
        if number is not None and str(number) not in {value for value, _ in offered}:
            offered.append((str(number), text("No. %(number)s, of which nothing waits", number=number)))
    return {
        "person": tuple(persons) if words.identity.may(GRANT_APPROVE) else (),
        "configuration": tuple(configurations),
        "days": tuple((str(days), ntext("at least %(n)s day", "at least %(n)s days", days)) for days in DAYS),
    }


def _ended(words: _Words, place: int, found: EndedRun) -> EndedTurnView:
    run = found.run
    approvers = [decision.decided_by for decision in found.decisions if decision.approved]
    attribution = attribute(run.owner_id, approvers, words.names)
    said, tone = ATTRIBUTIONS[attribution] if attribution is not None else (None, "")
    return EndedTurnView(
        run_uuid=run.uuid,
        url=links.card_url(run.uuid, 1),
        heading=text(
            "Decision %(place)s: assignment of %(name)s", place=place, name=words.names.get(run.owner_id, "?")
        ),
        asked_by=words.asked_by(run),
        configuration=words.configuration(run.configuration_id),
        at=run.finished_at or run.changed_at,
        decisions=tuple(_decided(words, decision) for decision in found.decisions) or (_undecided(run),),
        attribution="" if attribution is None else attribution.value,
        attribution_words=said,
        tone=tone,
    )


def _decided(words: _Words, decision: DecisionRow) -> Text:
    name, when = words.names.get(decision.decided_by, "?"), Moment(seconds=decision.decided_at)
    if decision.approved:
        return text("Approved by %(name)s, %(when)s.", name=name, when=when)
    return text("Declined by %(name)s, %(when)s.", name=name, when=when)


def _undecided(run: RunView) -> Text:
    if run.reason == Reason.APPROVAL_EXPIRED:
        return text("Expired without a decision.")
    if run.status is RunStatus.CANCELLED:
        return text("Stopped before a decision.")
    return text("Ended without a decision.")
