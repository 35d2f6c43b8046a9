"""What a list of changes says about itself; it never says that it is complete (CH-14, CH-15)."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.view_models import NoteView
from app.core.i18n import Text, nptext, ntext, text


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Numbers of one opening of the list."""

    listed: int
    incomplete: int = 0
    omitted: int = 0
    withheld: int = 0
    predates: int = 0
    unreadable: int = 0
    dropped: bool = False


def note_views(counts: Counts, site_name: str) -> tuple[NoteView, ...]:
    """The notes, the coverage note always first; the others only when true."""
    found = [NoteView(name="coverage", count=1, label=COVERAGE.with_params(cms=site_name))]
    if counts.incomplete:
        found.append(NoteView(name="incomplete", count=counts.incomplete, label=incomplete_words(counts.incomplete)))
    if counts.omitted:
        found.append(NoteView(name="omitted", count=counts.omitted, label=omitted_words(counts.omitted)))
    if counts.withheld:
        found.append(NoteView(name="withheld", count=counts.withheld, label=_withheld(counts.withheld)))
    if counts.predates:
        found.append(NoteView(name="predates", count=counts.predates, label=_predates(counts.predates)))
    if counts.unreadable:
        found.append(NoteView(name="unreadable", count=counts.unreadable, label=_unreadable(counts.unreadable)))
    if counts.dropped:
        found.append(NoteView(name="older", count=1, label=text("Older assignments are no longer listed.")))
    return tuple(found)


COVERAGE = text(
    "The list shows what %(cms)s reported for the steps of this assignment. "
    "A change made another way does not appear here."
)


def incomplete_words(count: int) -> Text:
    """How many steps were not recorded whole."""
    return ntext("The recording is incomplete for %(n)s step.", "The recording is incomplete for %(n)s steps.", count)


def omitted_words(count: int) -> Text:
    """How many entries the limits of recording and list left out."""
    return ntext(
        "%(n)s entry was left out because the list is limited.",
        "%(n)s entries were left out because the list is limited.",
        count,
    )


def _withheld(count: int) -> Text:
    return ntext("%(n)s further record is not shown.", "%(n)s further records are not shown.", count)


def _predates(count: int) -> Text:
    return ntext(
        "%(n)s run took place before changes were recorded in detail.",
        "%(n)s runs took place before changes were recorded in detail.",
        count,
    )


def _unreadable(count: int) -> Text:
    return ntext("%(n)s run could not be read.", "%(n)s runs could not be read.", count)


def announcement(counts: Counts) -> Text:
    """What is said when the list has been loaded (A7)."""
    listed = nptext("list", "%(n)s record listed.", "%(n)s records listed.", counts.listed)
    if not counts.listed:
        listed = text("No change is listed.")
    if not counts.withheld:
        return listed
    more = nptext("list", "%(n)s more not shown.", "%(n)s more not shown.", counts.withheld)
    return text("%(listed)s %(more)s", listed=listed, more=more)
