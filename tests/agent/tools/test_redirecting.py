"""Redirects: live only, for a draft cannot hold them (DW-21)."""

from __future__ import annotations

import pytest

from tests.agent.tools.bench import Bench


@pytest.mark.parametrize(("given", "status"), [({}, 301), ({"status": 302}, 302)])
def test_it_makes_an_address_lead_to_a_page(bench: Bench, given: dict[str, int], status: int) -> None:
    tickets = bench.page("tickets")
    done = bench.write("create_redirect", source="/prices", target=tickets, **given)
    row = bench.row("redirects", done.content["uid"])
    assert (row["source"], row["target_page"], row["status"], row["pid"]) == ("/prices", tickets, status, 0)
    assert (row["deleted"], row["hidden"]) == (False, False)
    assert done.heading == "Redirect the address “/prices” to the page “Tickets and tours”"
    assert (done.result.kind, [change.is_target for change in done.changes.changes]) == ("create", [True])


@pytest.mark.behaviour("DW-21")
@pytest.mark.parametrize("who", ["anna", "admin"])
def test_it_refuses_in_a_draft_with_its_own_sentence(bench: Bench, who: str) -> None:
    refused = bench.refused("create_redirect", who, bench.draft, source="/prices", target=bench.page("tickets"))
    assert refused == (
        "not_versioned",
        "A draft workspace cannot hold redirects. Nothing was changed. "
        "Switch to the workspace Live and send the request again.",
    )


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_missing_pages_and_those_of_somebody_else(bench: Bench) -> None:
    answers = {bench.refused("create_redirect", source="/x", target=uid) for uid in (999_999, bench.page("staff"))}
    answers |= {
        bench.refused("create_redirect", who, source="/x", target=bench.page("hours")) for who in ("gus", "ben")
    }
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


@pytest.mark.parametrize(
    "source",
    [
        "prices",
        "//evil.example",
        "/\\evil",
        "https://evil.example",
        "/a b",
        "/a?b=1",
        "/a#b",
        "/a\nb",
        "/",
        "/ ",
        "/\x00",
    ],
)
def test_it_takes_addresses_of_this_site_only(bench: Bench, source: str) -> None:
    if len(source) > 1:
        assert bench.refused("create_redirect", source=source, target=bench.page("hours"))[0] == "address"


@pytest.mark.parametrize("source", ["/hours", "/hours/", "/site/hours"])
def test_it_makes_no_second_redirect_for_an_address(bench: Bench, source: str) -> None:
    assert bench.refused("create_redirect", source=source, target=bench.page("visit")) == (
        "address_taken",
        "There is a redirect for this address already.",
    )
