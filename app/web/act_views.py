"""What publishing, discarding, a change of stage and a deletion would do, in words, before anything is done."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.engine import Connection

from app.chat.workspaces import DeletionPlan
from app.content.comparison import compare_with_live
from app.content.differences import Difference, find_differences
from app.content.types import RecordRef, VersionState
from app.content.workspaces import changeable_refs, count_states, mark_of
from app.content.writer import Conflict, PublishPlan, Stage, plan_publish
from app.core.i18n import Text, ntext, text
from app.policy.identity import Identity
from app.web.workspace_values import ConfirmationView, DeletionView, StepRecordView
from app.web.workspace_views import comparison_view, difference_view, wording

LISTED = 50
CONFLICTS_LISTED = 20
"""Conflicts are shown with both versions; those beyond are not published in this step."""
CHANGED_SINCE = "changed_since"
"""Reason of the conflicts a person may decide: the live record is another one than the draft was made from."""
STAGE_NAMES = {"ready": Stage.READY, "editing": Stage.EDITING}


def publication_view(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    refs: Sequence[RecordRef] | None,
    *,
    is_stale: bool = False,
) -> ConfirmationView:
    """What publishing ``refs`` (None = the whole workspace) would do: order, conflicts with both versions, refusals."""
    plan = plan_publish(connection, identity, workspace_id, refs)
    conflicts = plan.conflicts[:CONFLICTS_LISTED]
    listed, refused = plan.records[:LISTED], plan.refused[:LISTED]
    shown = [*listed, *(item.ref for item in refused)]
    found = find_differences(connection, identity, workspace_id, shown)
    known = wording(connection, identity, workspace_id, found.values())
    return ConfirmationView(
        workspace_id=workspace_id,
        workspace_title=identity.workspaces[workspace_id],
        address=f"/workspaces/{workspace_id}/publication",
        heading=text("Publish from the draft workspace “%(title)s”", title=identity.workspaces[workspace_id]),
        consequences=_publishing(plan, count_states(connection, workspace_id, plan.records)[VersionState.DELETED]),
        records=tuple(StepRecordView(record=difference_view(found[ref], known)) for ref in listed if ref in found),
        unlisted=_unlisted(len(plan.records) - len(listed)),
        conflicts=tuple(_conflict(connection, identity, workspace_id, item) for item in conflicts),
        unlisted_conflicts=_unlisted_conflicts(len(plan.conflicts) - len(conflicts)),
        refused=tuple(
            StepRecordView(record=difference_view(found[item.ref], known), explanation=item.explanation)
            for item in refused
            if item.ref in found
        ),
        button=_publish_button(plan),
        chosen=joined(refs),
        stage="",
        seen=mark_of(connection, workspace_id, refs_to_publish(plan)),
        is_stale=is_stale,
    )


def _conflict(connection: Connection, identity: Identity, workspace_id: int, item: Conflict) -> StepRecordView:
    """A record both sides changed, with both versions."""
    both = compare_with_live(connection, identity, workspace_id, item.ref.table, item.ref.uid)
    known = wording(connection, identity, workspace_id, [both.difference], [both.live_last])
    comparison = comparison_view(both, known)
    return StepRecordView(
        record=comparison.record,
        explanation=item.explanation,
        may_overwrite=item.reason == CHANGED_SINCE,
        comparison=comparison,
    )


def refs_to_publish(plan: PublishPlan) -> tuple[RecordRef, ...]:
    """What a publish is about: everything that can be published, and the conflicts."""
    return (*plan.records, *(item.ref for item in plan.conflicts))


def _publishing(plan: PublishPlan, deletions: int) -> tuple[Text, ...]:
    conflicts, refused = len(plan.conflicts), len(plan.refused)
    sentences = [
        text(
            "What is published becomes live and leaves the draft workspace. Visitors see it unless it is hidden or limited."
        )
        if plan.records or conflicts
        else None,
        text("Pages are published before what lies on them, in the order of this list.")
        if len(plan.records) > 1
        else None,
        ntext(
            "%(n)s record is deleted live, together with what hangs on it there.",
            "%(n)s records are deleted live, together with what hangs on them there.",
            deletions,
        )
        if deletions
        else None,
        ntext(
            "%(n)s record was changed live after its draft was made. It is published only if you choose to overwrite it.",
            "%(n)s records were changed live after their drafts were made. They are published only if you choose to "
            "overwrite them.",
            conflicts,
        )
        if conflicts
        else None,
        ntext(
            "%(n)s record cannot be published now. The reason stands with it.",
            "%(n)s records cannot be published now. The reasons stand with them.",
            refused,
        )
        if refused
        else None,
    ]
    return tuple(sentence for sentence in sentences if sentence is not None)


def _publish_button(plan: PublishPlan) -> Text | None:
    if plan.records:
        return ntext("Publish %(n)s record", "Publish %(n)s records", len(plan.records))
    may_overwrite = any(item.reason == CHANGED_SINCE for item in plan.conflicts)
    return text("Publish what I chose to overwrite") if may_overwrite else None


def discarding_view(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    refs: Sequence[RecordRef] | None,
    *,
    is_stale: bool = False,
) -> ConfirmationView:
    """What discarding ``refs`` (None = what the person may change in the workspace) would do."""
    found = changeable(connection, identity, workspace_id, refs)
    consequences = [
        text("What the workspace holds of these records is removed for good."),
        text("Live stays as it is."),
    ]
    if any(item.state in (VersionState.MOVED, VersionState.DELETED) for item in found):
        consequences.insert(1, text("What was moved or marked along with them goes back with them."))
    if any(item.state is VersionState.NEW for item in found):
        consequences.insert(
            1,
            text(
                "A page that is new in the workspace goes together with its content, subpages and translations there."
            ),
        )
    return _plain_view(
        connection,
        identity,
        workspace_id,
        found,
        heading=text("Discard drafts of the workspace “%(title)s”", title=identity.workspaces[workspace_id]),
        address="discarding",
        consequences=tuple(consequences),
        button=ntext("Discard %(n)s draft", "Discard %(n)s drafts", len(found)) if found else None,
        refs=refs,
        is_stale=is_stale,
    )


def stage_view(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    refs: Sequence[RecordRef],
    stage: str,
    *,
    is_stale: bool = False,
) -> ConfirmationView:
    """What sending ``refs`` to ``ready`` or back to ``editing`` would do; those already there are left out."""
    found = moving_to(changeable(connection, identity, workspace_id, refs), stage)
    title = identity.workspaces[workspace_id]
    if stage == "ready":
        heading = text("Send on to publishing in the workspace “%(title)s”", title=title)
        consequences = (
            ntext(
                "%(n)s record is marked “ready to publish”. A later change takes the mark away again.",
                "%(n)s records are marked “ready to publish”. A later change of one takes its mark away again.",
                len(found),
            ),
        )
        button = ntext("Send on %(n)s record", "Send on %(n)s records", len(found))
    else:
        heading = text("Send back to editing in the workspace “%(title)s”", title=title)
        consequences = (text("The mark “ready to publish” is taken away. The drafts stay as they are."),)
        button = ntext("Send back %(n)s record", "Send back %(n)s records", len(found))
    return _plain_view(
        connection,
        identity,
        workspace_id,
        found,
        heading=heading,
        address="stage",
        consequences=consequences,
        button=button if found else None,
        refs=refs,
        stage=stage,
        is_stale=is_stale,
    )


def changeable(
    connection: Connection, identity: Identity, workspace_id: int, refs: Sequence[RecordRef] | None
) -> tuple[Difference, ...]:
    """Those of ``refs`` (None = all rows of the workspace) the person may discard or send on."""
    wanted = changeable_refs(connection, identity, workspace_id, refs)
    found = find_differences(connection, identity, workspace_id, wanted)
    return tuple(found[ref] for ref in wanted if ref in found)


def moving_to(found: Sequence[Difference], stage: str) -> tuple[Difference, ...]:
    """Those a change of stage would change."""
    return tuple(item for item in found if item.is_ready != (stage == "ready"))


def _plain_view(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    found: Sequence[Difference],
    *,
    heading: Text,
    address: str,
    consequences: tuple[Text, ...],
    button: Text | None,
    refs: Sequence[RecordRef] | None,
    stage: str = "",
    is_stale: bool = False,
) -> ConfirmationView:
    listed = found[:LISTED]
    known = wording(connection, identity, workspace_id, listed)
    return ConfirmationView(
        workspace_id=workspace_id,
        workspace_title=identity.workspaces[workspace_id],
        address=f"/workspaces/{workspace_id}/{address}",
        heading=heading,
        consequences=consequences if found else (),
        records=tuple(StepRecordView(record=difference_view(item, known)) for item in listed),
        unlisted=_unlisted(len(found) - len(listed)),
        conflicts=(),
        unlisted_conflicts=None,
        refused=(),
        button=button,
        chosen=joined(refs),
        stage=stage,
        seen=mark_of(connection, workspace_id, [item.ref for item in found]),
        is_stale=is_stale,
    )


def deletion_view(plan: DeletionPlan, workspace_id: int) -> DeletionView:
    """What the deletion of a workspace would bring about."""
    return DeletionView(
        workspace_id=workspace_id,
        title=plan.title,
        consequences=(
            ntext("%(n)s draft is discarded for good.", "%(n)s drafts are discarded for good.", plan.records)
            if plan.records
            else text("The workspace holds no drafts."),
            ntext(
                "%(n)s assignment that has not ended would write there: its steps will be refused.",
                "%(n)s assignments that have not ended would write there: their steps will be refused.",
                plan.runs,
            )
            if plan.runs
            else text("No assignment waits to write there."),
            ntext(
                "%(n)s person stands in it and goes to another workspace.",
                "%(n)s people stand in it and go to another workspace.",
                plan.people,
            )
            if plan.people
            else text("Nobody stands in it."),
            text("Live stays as it is. The deletion cannot be undone."),
        ),
    )


def joined(refs: Sequence[RecordRef] | None) -> str:
    """Chosen records as one value of a form; empty for the whole workspace."""
    return " ".join(f"{ref.table}:{ref.uid}" for ref in refs or ())


def _unlisted(count: int) -> Text | None:
    words = ntext("%(n)s further record is part of it.", "%(n)s further records are part of it.", count)
    return words if count > 0 else None


def _unlisted_conflicts(count: int) -> Text | None:
    if count <= 0:
        return None
    return ntext(
        "%(n)s further record was changed live. Publish it separately.",
        "%(n)s further records were changed live. Publish them separately.",
        count,
    )
