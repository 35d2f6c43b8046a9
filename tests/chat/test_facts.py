"""Facts of a record in words."""

from __future__ import annotations

import pytest

from app.chat.facts import Facts, WordsOf, fact_views
from app.core.i18n import render
from app.policy.identity import Identity

MEMBER = Identity(user_id=1, username="anna", name="Anna", workspaces={3: "Relaunch"})
OUTSIDER = Identity(user_id=2, username="fay", name="Fay")
LANGUAGES = {0: ("en", "English"), 1: ("de", "German")}


def words(facts: Facts, identity: Identity = MEMBER, locale: str = "en") -> list[str]:
    views = fact_views(facts, WordsOf(identity=identity, languages=LANGUAGES, group_titles={9: "Members"}))
    return [render(view.label, locale) for view in views]


@pytest.mark.behaviour("CH-11")
def test_it_gives_each_fact_its_own_badge_in_a_fixed_order() -> None:
    facts = Facts(
        action="updated",
        workspace_id=3,
        language_id=1,
        hidden=True,
        starttime=1_795_000_000,
        endtime=1_796_000_000,
        groups=(9,),
        is_target=True,
        step_failed=True,
        is_partial=True,
    )
    views = fact_views(facts, WordsOf(identity=MEMBER, languages=LANGUAGES, group_titles={9: "Members"}))
    assert [view.name for view in views] == [
        "action",
        "workspace",
        "language",
        "hidden",
        "from",
        "until",
        "groups",
        "role",
        "failed",
        "partial",
    ]
    assert [view.value for view in views][:4] == ["updated", 3, "de", True]
    assert views[6].value == ["Members"]


@pytest.mark.behaviour("CH-12")
def test_it_words_a_record_that_is_not_hidden_without_a_claim() -> None:
    found = words(Facts(action="created", workspace_id=0, hidden=False, is_target=True))
    assert "not hidden" in found
    assert not any(word in " ".join(found).lower() for word in ("visible", "public", "online", "published"))


@pytest.mark.behaviour("CH-12")
def test_it_has_no_badge_for_what_a_table_does_not_have() -> None:
    views = fact_views(Facts(action="created", workspace_id=0, is_target=False), WordsOf(identity=MEMBER, languages={}))
    assert [view.name for view in views] == ["action", "workspace", "role"]


@pytest.mark.behaviour("CH-13")
@pytest.mark.parametrize(
    ("workspace", "identity", "expected"),
    [
        (0, OUTSIDER, "Workspace: Live"),
        (3, MEMBER, "Workspace: Draft “Relaunch”"),
        (3, OUTSIDER, "Workspace no. 3 (title not visible to you)"),
        (7, MEMBER, "Workspace no. 7 (title not visible to you)"),
    ],
)
def test_it_withholds_the_title_of_a_workspace_but_not_its_number(
    workspace: int, identity: Identity, expected: str
) -> None:
    assert expected in words(Facts(action="created", workspace_id=workspace), identity)


@pytest.mark.behaviour("CH-10")
@pytest.mark.parametrize(("is_target", "expected"), [(True, "target of the step"), (False, "changed along with it")])
def test_it_tells_the_named_record_from_those_that_change_along(is_target: bool, expected: str) -> None:
    assert expected in words(Facts(action="created", workspace_id=0, is_target=is_target))


def test_it_says_only_that_details_are_missing_for_an_old_record() -> None:
    assert words(Facts(action="unknown", workspace_id=None, has_details=False, is_target=True)) == [
        "Recorded without details"
    ]


def test_it_names_groups_only_to_those_who_may_see_them() -> None:
    views = fact_views(Facts(action="created", workspace_id=0, groups=(9,)), WordsOf(identity=MEMBER, languages={}))
    assert render(views[-1].label, "en") == "Limited to user groups"
    assert views[-1].value == []
