"""A configuration can require a draft workspace: the refusals of cms.md section 17, line by line."""

from __future__ import annotations

import json

import pytest

from app.core.i18n import render
from app.policy.decisions import ALLOWED, Refused
from app.policy.identity import Identity
from app.policy.invocation import InvocationPolicy, PreApprovalRule, ToolFacts
from app.policy.rules import built_in_policy
from app.policy.rules.draft_workspace import EXPLANATIONS, RULE_ID, RequireDraftWorkspace
from tests.policy import people
from tests.policy.people import DRAFT, OTHER, call, person

ANNA = person()
ADMIN = person(is_admin=True)
LOCAL_WRITES = [people.WRITE, people.IDEMPOTENT, people.UNDECLARED_APPROVAL]
READS = [people.READ, people.UNDECLARED, people.READ_APPROVAL]
REMOTES = [people.REMOTE, people.REMOTE_READ, people.REMOTE_FREE]


def reason(
    tool: ToolFacts, *, recorded: int | None = DRAFT, acting: Identity | None = ANNA, required: bool = True
) -> str | None:
    """The reason code of the refusal; None = the call passes."""
    decision = RequireDraftWorkspace().decide(call(tool, recorded=recorded, acting=acting, required=required))
    if decision is ALLOWED:
        return None
    assert isinstance(decision, Refused)
    assert decision.rule == RULE_ID == "draft_workspace_required"
    assert decision.explanation == EXPLANATIONS[decision.reason]
    assert not decision.is_failure
    return decision.reason


@pytest.mark.behaviour("DW-05")
@pytest.mark.parametrize("tool", READS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("recorded", [None, 0, DRAFT, -99])
@pytest.mark.parametrize("acting", [ANNA, ADMIN, None], ids=["anna", "admin", "nobody"])
def test_it_lets_reads_pass_everywhere(tool: ToolFacts, recorded: int | None, acting: Identity | None) -> None:
    assert reason(tool, recorded=recorded, acting=acting) is None


@pytest.mark.behaviour("DW-06")
@pytest.mark.parametrize("tool", REMOTES, ids=lambda tool: tool.name)
@pytest.mark.parametrize("recorded", [None, 0, DRAFT])
@pytest.mark.parametrize("acting", [ANNA, ADMIN, None], ids=["anna", "admin", "nobody"])
def test_it_refuses_remote_writes_in_every_workspace(
    tool: ToolFacts, recorded: int | None, acting: Identity | None
) -> None:
    assert reason(tool, recorded=recorded, acting=acting) == "remote_write"


@pytest.mark.behaviour("DW-02", "DW-05")
@pytest.mark.parametrize("tool", LOCAL_WRITES, ids=lambda tool: tool.name)
@pytest.mark.parametrize("acting", [ANNA, ADMIN], ids=["anna", "admin"])
def test_it_lets_writes_pass_in_exactly_the_recorded_draft(tool: ToolFacts, acting: Identity) -> None:
    assert reason(tool, acting=acting) is None


@pytest.mark.behaviour("DW-02", "DW-03", "DW-05")
@pytest.mark.parametrize("tool", LOCAL_WRITES, ids=lambda tool: tool.name)
@pytest.mark.parametrize("recorded", [None, 0, -1, -99])
@pytest.mark.parametrize(
    "acting",
    [ANNA, ADMIN, person(workspace_id=0, may_work_live=True), None],
    ids=["anna", "admin", "anna in live", "nobody"],
)
def test_it_refuses_writes_of_runs_that_recorded_no_draft(
    tool: ToolFacts, recorded: int | None, acting: Identity | None
) -> None:
    assert reason(tool, recorded=recorded, acting=acting) == "live_workspace"


@pytest.mark.behaviour("DW-02", "DW-04")
@pytest.mark.parametrize("tool", LOCAL_WRITES, ids=lambda tool: tool.name)
@pytest.mark.parametrize(
    "acting",
    [
        None,
        person(workspace_id=None, workspaces={}),
        person(workspace_id=0, may_work_live=True),
        person(workspace_id=OTHER, workspaces={DRAFT: "Relaunch", OTHER: "Campaign"}),
        person(workspace_id=None, is_admin=True, workspaces={}),
    ],
    ids=["nobody", "nowhere", "in live", "in another draft", "admin, workspace deleted"],
)
def test_it_refuses_writes_when_the_owner_does_not_stand_in_the_draft(tool: ToolFacts, acting: Identity | None) -> None:
    assert reason(tool, acting=acting) == "workspace_unavailable"


@pytest.mark.parametrize("tool", [*LOCAL_WRITES, *READS, *REMOTES], ids=lambda tool: tool.name)
@pytest.mark.parametrize("recorded", [None, 0, DRAFT])
def test_it_asks_nothing_when_it_is_switched_off(tool: ToolFacts, recorded: int | None) -> None:
    assert reason(tool, recorded=recorded, acting=None, required=False) is None


@pytest.mark.behaviour("DW-07")
@pytest.mark.parametrize(
    ("code", "english", "german"),
    [
        (
            "live_workspace",
            "The configuration requires a draft workspace. Nothing was changed. "
            "Switch to a draft workspace and send the request again.",
            "Die Konfiguration verlangt einen Entwurfs-Arbeitsbereich. Es wurde nichts geändert. "
            "Wechseln Sie in einen Entwurfs-Arbeitsbereich und senden Sie die Anfrage erneut.",
        ),
        (
            "workspace_unavailable",
            "This draft workspace is not available to you any more. Nothing was changed. "
            "Choose another draft workspace and send the request again.",
            "Dieser Entwurfs-Arbeitsbereich steht Ihnen nicht mehr zur Verfügung. Es wurde nichts geändert. "
            "Wählen Sie einen anderen Entwurfs-Arbeitsbereich und senden Sie die Anfrage erneut.",
        ),
        (
            "remote_write",
            "A draft workspace cannot hold what this tool writes. Nothing was sent.",
            "Ein Entwurfs-Arbeitsbereich kann nicht aufnehmen, was dieses Werkzeug schreibt. Es wurde nichts gesendet.",
        ),
    ],
)
def test_it_explains_every_refusal_in_both_languages(code: str, english: str, german: str) -> None:
    assert render(EXPLANATIONS[code], "en") == english
    assert render(EXPLANATIONS[code], "de") == german


@pytest.mark.behaviour("DW-07")
def test_it_has_one_explanation_per_reason() -> None:
    assert set(EXPLANATIONS) == {"live_workspace", "workspace_unavailable", "remote_write"}


def test_it_gives_codes_for_the_log_apart_from_the_words() -> None:
    decision = RequireDraftWorkspace().decide(call(recorded=0))
    assert isinstance(decision, Refused)
    assert json.dumps([decision.rule, decision.reason]) == '["draft_workspace_required", "live_workspace"]'


def test_it_is_asked_before_the_card_and_again_when_the_call_runs() -> None:
    assert isinstance(RequireDraftWorkspace(), PreApprovalRule)
    policy = built_in_policy()
    assert isinstance(policy, InvocationPolicy)
    for decide in (policy.decide_before_approval, policy.decide):
        assert isinstance(decide(call(recorded=0)), Refused)
        assert decide(call(acting=ANNA)) is ALLOWED
