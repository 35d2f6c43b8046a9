"""Workspaces, and what a draft holds, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.chat.changes import kind_words
from app.chat.facts import Facts, WordsOf, workspace_words
from app.chat.links import edit_url, history_url
from app.content.comparison import LiveComparison
from app.content.differences import Difference, DifferenceGroup, WorkspaceDifferences
from app.content.held import LastChange
from app.content.schema import REGISTRY
from app.content.site.addresses import slug_of
from app.content.types import VersionState
from app.core.i18n import Text, ntext, ptext, text
from app.core.moments import Moment
from app.policy.identity import Identity
from app.web.content_values import WorkspaceView
from app.web.content_views import STATES, UNTITLED, group_ids, record_facts, words_of
from app.web.diff_views import diff_views, withheld_fields
from app.web.shell import usable_workspaces
from app.web.workspace_values import ComparisonView, DifferenceGroupView, DifferencesView, DifferenceView

STAGES = {
    False: ptext("stage of a draft", "being edited"),
    True: ptext("stage of a draft", "ready to publish"),
}


def workspace_views(identity: Identity) -> tuple[WorkspaceView, ...]:
    """The workspaces a person may use."""
    return tuple(
        WorkspaceView(
            id=number,
            title=workspace_words(number, identity),
            url=f"/workspaces/{number}" if number else None,
            is_current=number == identity.workspace_id,
        )
        for number in usable_workspaces(identity)
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """What the words of a workspace's records need to know of the site, the people and the reader."""

    words: WordsOf
    names: Mapping[int, str]
    workspace_id: int

    @property
    def identity(self) -> Identity:
        """The reader."""
        return self.words.identity


def wording(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    records: Iterable[Difference],
    further: Iterable[LastChange | None] = (),
) -> Wording:
    """Languages, titles of groups and names of people for ``records``; a constant number of statements."""
    records = list(records)
    groups = {group for item in records for group in group_ids(item.record.values.get("groups"))}
    changes = [*(item.last for item in records), *further]
    return Wording(
        words=words_of(connection, identity, groups),
        names=accounts.names_of(connection, [change.user_id for change in changes if change is not None]),
        workspace_id=workspace_id,
    )


def differences_view(
    connection: Connection, identity: Identity, workspace_id: int, found: WorkspaceDifferences
) -> DifferencesView:
    """What a draft holds, as far as the person may read it; the rest is counted."""
    known = wording(connection, identity, workspace_id, found.records)
    return DifferencesView(
        id=workspace_id,
        title=identity.workspaces[workspace_id],
        groups=tuple(_group(group, known) for group in found.groups),
        summary=_summary(found),
        withheld=withheld_records(found.withheld),
        part=found.part,
        parts=found.parts,
        is_current=identity.workspace_id == workspace_id,
        may_publish=identity.may_publish(workspace_id),
        is_owner=identity.owns_workspace(workspace_id),
        preview_url=f"/site/?workspace={workspace_id}",
    )


def withheld_records(count: int) -> Text | None:
    """How many records are not shown; nothing else is said of them."""
    if not count:
        return None
    return ntext("%(n)s further record is not shown.", "%(n)s further records are not shown.", count)


def _summary(found: WorkspaceDifferences) -> tuple[Text, ...]:
    if not found.total:
        return ()
    states = found.states
    counted = (
        ntext("%(n)s record is new.", "%(n)s records are new.", states.get(VersionState.NEW, 0)),
        ntext("%(n)s record is changed.", "%(n)s records are changed.", states.get(VersionState.CHANGED, 0)),
        ntext("%(n)s record is moved.", "%(n)s records are moved.", states.get(VersionState.MOVED, 0)),
        ntext(
            "%(n)s record is to be deleted.", "%(n)s records are to be deleted.", states.get(VersionState.DELETED, 0)
        ),
        ntext("%(n)s record is ready to publish.", "%(n)s records are ready to publish.", found.ready),
        ntext(
            "%(n)s record was changed live after its draft was made.",
            "%(n)s records were changed live after their drafts were made.",
            found.conflicts,
        ),
    )
    return tuple(sentence for sentence in counted if sentence.count)


def _group(group: DifferenceGroup, known: Wording) -> DifferenceGroupView:
    title = group.title or text("Page, no. %(number)s", number=str(group.page_uid))
    return DifferenceGroupView(
        id=group.page_uid,
        heading=title if group.page_uid else text("Not on a page"),
        page_url=f"/pages/{group.page_uid}"
        if group.title and known.identity.workspace_id == known.workspace_id and not _lists_itself(group)
        else None,
        records=tuple(difference_view(item, known, group.title) for item in group.records),
    )


def _lists_itself(group: DifferenceGroup) -> bool:
    """Whether the page is one of its records: that has a link of the same name, or none because it is to be deleted."""
    return any((item.record.table, item.record.live_uid) == ("pages", group.page_uid) for item in group.records)


def difference_view(item: Difference, known: Wording, page_title: str = "") -> DifferenceView:
    """One record in words. ``page_title`` only makes the address of the preview speak."""
    record, trait = item.record, REGISTRY[item.record.table]
    language_id = int(record.values["language_id"]) if trait.has_language else None
    identity, workspace_id = known.identity, known.workspace_id
    may_edit = identity.workspace_id == workspace_id and item.state is not VersionState.DELETED
    return DifferenceView(
        key=f"{record.table}:{record.uid}",
        table=record.table,
        uid=record.live_uid,
        title=record.title or UNTITLED,
        kind=kind_words(trait.label, record.live_uid),
        language=known.words.languages.get(language_id if language_id is not None else -2, (None, ""))[0],
        facts=record_facts(_facts(item, language_id), known.words),
        state_name=item.state.name.lower(),
        state=STATES[item.state],
        stage=STAGES[item.is_ready],
        is_ready=item.is_ready,
        is_conflicting=item.is_conflicting,
        changed=last_change(item.last, known.names),
        edit_url=edit_url(record.table, record.live_uid)
        if may_edit and identity.may_modify(record.table, admin_only=trait.admin_only)
        else None,
        history_url=history_url(record.table, record.live_uid, workspace_id),
        compare_url=f"/workspaces/{workspace_id}/records/{record.table}/{record.live_uid}",
        preview_url=_preview_url(item, known, language_id, page_title),
    )


def _facts(item: Difference, language_id: int | None) -> Facts:
    values, trait = item.record.values, REGISTRY[item.record.table]
    return Facts(
        action="unknown",
        workspace_id=None,
        language_id=language_id,
        hidden=bool(values["hidden"]) if trait.can_hide else None,
        starttime=values["starttime"] if trait.has_times else 0,
        endtime=values["endtime"] if trait.has_times else 0,
        groups=group_ids(values["groups"]) if trait.has_groups else (),
    )


def _preview_url(item: Difference, known: Wording, language_id: int | None, page_title: str) -> str | None:
    """The page of the site a record is seen on; none for what will be gone and what lies on no page."""
    languages = known.words.languages
    number = 0 if language_id is None or language_id not in languages else language_id
    if not item.record.page_uid or item.state is VersionState.DELETED or number not in languages:
        return None
    slug = slug_of(page_title)
    name = f"{item.record.page_uid}-{slug}" if slug else str(item.record.page_uid)
    return f"/site/{languages[number][0]}/{name}?workspace={known.workspace_id}"


def last_change(change: LastChange | None, names: Mapping[int, str]) -> Text | None:
    """ "Last change: Anna Bergmann, 1 December 2026, 14:31"."""
    if change is None:
        return None
    moment = Moment(seconds=change.at)
    name = names.get(change.user_id)
    if name is None:
        return text("Last change: %(moment)s", moment=moment)
    return text("Last change: %(name)s, %(moment)s", name=name, moment=moment)


def comparison_view(found: LiveComparison, known: Wording) -> ComparisonView:
    """A record beside the live one: what became of it as a whole, then field by field."""
    view = difference_view(found.difference, known)
    return ComparisonView(
        record=view,
        workspace_id=known.workspace_id,
        workspace_title=known.identity.workspaces[known.workspace_id],
        sentences=tuple(_as_a_whole(found)),
        conflict=_conflict(found, known.names),
        fields=diff_views(view.table, found.fields, view.language),
        withheld=withheld_fields(found.withheld),
    )


def _as_a_whole(found: LiveComparison) -> Iterable[Text]:
    state = found.difference.state
    if state is VersionState.NEW:
        yield text("This record is new in the workspace. Live does not have it.")
    if state is VersionState.DELETED:
        yield text("Publishing deletes the live record.")
    if found.pages is not None:
        (before, before_title), (after, after_title) = found.pages
        yield text("Live it lies on: %(page)s.", page=_page_words(before, before_title))
        yield text("In the workspace it lies on: %(page)s.", page=_page_words(after, after_title))
    if found.is_moved_in_place:
        yield text("It has another place among its neighbours.")
    if state is VersionState.CHANGED and found.live_title is not None and not found.fields and not found.withheld:
        yield text("No field you may read differs from live.")


def _page_words(uid: int, title: str) -> Text:
    if not uid:
        return text("the root")
    number = str(uid)
    if not title:
        return text("Page, no. %(number)s", number=number)
    return text("“%(title)s” (page, no. %(number)s)", title=title, number=number)


def _conflict(found: LiveComparison, names: Mapping[int, str]) -> Text | None:
    if not found.difference.is_conflicting:
        return None
    if found.live_title is None:
        return text("The live record was deleted after this draft was made.")
    change = found.live_last
    if change is None or change.user_id not in names:
        return text(
            "The live record was changed after this draft was made. The comparison starts from the live record as it "
            "is now."
        )
    return text(
        "The live record was changed by %(name)s on %(moment)s, after this draft was made. The comparison starts from "
        "the live record as it is now.",
        name=names[change.user_id],
        moment=Moment(seconds=change.at),
    )
