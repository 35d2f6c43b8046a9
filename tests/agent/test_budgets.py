"""What people and configurations may use on one day; each limit ends a run in its own reason (RT-17)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from app.agent import models
from app.agent.budgets import (
    Budget,
    Payer,
    Unit,
    Used,
    cost_of,
    day_of,
    find_budget,
    find_exhausted,
    find_used,
    requests_left,
    spent_unit,
)
from app.agent.configurations import set_configuration
from app.agent.llm.base import ProviderUnreachable, Usage
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.types import RunStatus
from app.config import Settings
from app.core.clock import now
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.agent.execution_world import World
from tests.agent.scenes import Scene
from tests.support.clock import FakeClock

USAGE = models.Usage.__table__
READ = call_turn(("list_languages", {}))
DAY = 86_400


def limit(scene: Scene, **settings: Any) -> None:
    scene.runtime = replace(scene.runtime, settings=replace(scene.runtime.settings, **settings))


def budget(**limits: int) -> None:
    with transaction() as connection:
        set_configuration(connection, 1, **{f"budget_{unit}_day": limit for unit, limit in limits.items()})


def rows() -> list[dict[str, Any]]:
    with reading() as connection:
        return [dict(row) for row in connection.execute(select(USAGE)).mappings().all()]


def worked(scene: Scene, owner: Any) -> tuple[str, str, int]:
    uuid = scene.start(owner)
    scene.work()
    run = scene.run(uuid)
    return run.status.value, run.reason, run.rounds


@pytest.mark.parametrize(
    ("limits", "used", "expected"),
    [
        ({}, Used(requests=10**6, tokens=10**9, cost_micro=10**12), None),
        ({"requests": 3}, Used(requests=2), None),
        ({"requests": 3}, Used(requests=3), Unit.REQUESTS),
        ({"tokens": 100}, Used(tokens=99), None),
        ({"tokens": 100}, Used(tokens=100), Unit.TOKENS),
        ({"cost": 5}, Used(cost_micro=49_999), None),
        ({"cost": 5}, Used(cost_micro=50_000), Unit.COST),
        ({"requests": 1, "tokens": 1}, Used(requests=1, tokens=1), Unit.REQUESTS),
    ],
)
def test_it_counts_the_request_that_comes(limits: dict[str, int], used: Used, expected: Unit | None) -> None:
    assert spent_unit(Budget(**limits), used) is expected


def test_it_rounds_cost_up_and_takes_nothing_back() -> None:
    price = (Decimal("0.15"), Decimal("0.6"))
    assert cost_of(Usage(requests=1, prompt_tokens=1_000_000, completion_tokens=1_000_000), price) == 750_000
    assert cost_of(Usage(requests=1, prompt_tokens=1, completion_tokens=0), price) == 1
    assert cost_of(Usage(requests=1, prompt_tokens=-5, completion_tokens=-5), price) == 0


def test_it_writes_use_with_the_answer(scene: Scene, identity_of: Any, clock: FakeClock) -> None:
    limit(scene, model_prices='{"builtin": {"read": 2, "written": 4}}')
    scene.script(READ, text_turn("Done."))
    anna = identity_of("anna")
    assert worked(scene, anna) == ("completed", "completed", 2)
    assert rows() == [
        {
            "user_id": anna.user_id,
            "day": day_of(now()),
            "configuration_id": 1,
            "model": "builtin",
            "requests": 2,
            "prompt_tokens": 20,
            "completion_tokens": 10,
            "cost_micro": 80,
        }
    ]
    clock.advance(DAY)
    scene.script(text_turn("Done."))
    worked(scene, anna)
    assert sorted(row["requests"] for row in rows()) == [1, 2]


def test_a_failed_answer_uses_nothing(scene: Scene, identity_of: Any) -> None:
    scene.script(*[ProviderUnreachable("x")] * 3)
    assert worked(scene, identity_of("anna"))[1] == "provider_failed"
    assert rows() == []


@pytest.mark.behaviour("RT-17")
@pytest.mark.parametrize(
    ("limits", "rounds"),
    [
        ({"person_requests_day": 2}, 2),
        ({"person_tokens_day": 30}, 2),
        ({"person_cost_day": 1, "model_prices": '{"*": {"read": 1000, "written": 0}}'}, 1),
    ],
)
def test_a_person_reaches_their_limit(scene: Scene, identity_of: Any, limits: dict[str, Any], rounds: int) -> None:
    limit(scene, **limits)
    scene.script(*[READ] * 4)
    assert worked(scene, identity_of("anna")) == ("completed", "budget_exhausted", rounds)
    assert worked(scene, identity_of("anna")) == ("completed", "budget_exhausted", 0)
    scene.script(text_turn("Done."))
    assert worked(scene, identity_of("dora")) == ("completed", "completed", 1)


@pytest.mark.behaviour("RT-17")
@pytest.mark.parametrize("limits", [{"requests": 2}, {"tokens": 16}, {"cost": 1}])
def test_a_configuration_reaches_its_limit_for_everybody(
    scene: Scene, identity_of: Any, clock: FakeClock, limits: dict[str, int]
) -> None:
    limit(scene, model_prices='{"*": {"read": 500, "written": 0}}')
    budget(**limits)
    scene.script(READ, READ, READ)
    assert worked(scene, identity_of("anna")) == ("completed", "budget_exhausted", 2)
    assert worked(scene, identity_of("dora")) == ("completed", "budget_exhausted", 0)
    other = scene.start(identity_of("dora"), configuration="Editorial, drafts only")
    scene.script(text_turn("Done."))
    scene.work()
    assert scene.run(other).reason == "completed"
    clock.advance(DAY)
    scene.script(text_turn("Done."))
    assert worked(scene, identity_of("dora"))[1] == "completed"


def test_the_person_is_told_before_the_configuration(scene: Scene, identity_of: Any) -> None:
    limit(scene, person_requests_day=1)
    budget(requests=1)
    scene.script(text_turn("Done."))
    uuid = scene.start(identity_of("anna"))
    scene.work()
    with reading() as connection:
        found = find_exhausted(connection, scene.run(uuid), scene.runtime.settings)
    assert found is not None
    assert (found.payer, found.unit) == (Payer.PERSON, Unit.REQUESTS)


@pytest.mark.behaviour("RT-17")
def test_the_owner_pays_after_a_decision_of_somebody_else(scene: Scene, identity_of: Any, site: DemoSite) -> None:
    change = call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"}))
    scene.script(change, text_turn("Done."))
    anna, olga = identity_of("anna"), identity_of("admin")
    uuid = scene.start(anna)
    scene.work()
    limit(scene, person_requests_day=1)
    assert scene.decide(olga, uuid).kind == "recorded"
    scene.work()
    run = scene.run(uuid)
    assert (run.status, run.reason) == (RunStatus.COMPLETED, "budget_exhausted")
    assert scene.outcomes(uuid)[0][0] == "done", "what was approved is done; only the model is not asked again"
    assert {row["user_id"] for row in rows()} == {anna.user_id}


@pytest.mark.behaviour("RT-17")
def test_it_asks_the_budget_before_each_attempt(scene: Scene, identity_of: Any) -> None:
    anna = identity_of("anna")
    limit(scene, person_requests_day=1)

    def fail_while_another_run_uses_it_up(_messages: Any) -> Any:
        with transaction() as connection:
            values = {"user_id": anna.user_id, "day": day_of(now()), "configuration_id": 1, "model": "builtin"}
            connection.execute(
                USAGE.insert().values(requests=1, prompt_tokens=0, completion_tokens=0, cost_micro=0, **values)
            )
        raise ProviderUnreachable("x")

    scene.script(fail_while_another_run_uses_it_up, text_turn("never"))
    assert worked(scene, anna) == ("completed", "budget_exhausted", 0)
    assert len(scene.model.seen) == 1


def test_it_keeps_limits_of_a_configuration(scene: Scene) -> None:
    budget(requests=1, tokens=2, cost=3)
    with reading() as connection:
        assert find_budget(connection, 1) == Budget(requests=1, tokens=2, cost=3)
        assert find_budget(connection, 987) == Budget()


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("MODEL_PRICES", "0.15"),
        ("MODEL_PRICES", '{"a": 1}'),
        ("MODEL_PRICES", '{"a": {"read": -1, "written": 1}}'),
        ("MODEL_PRICES", '{"a": {"read": "NaN", "written": 1}}'),
        ("MODEL_WINDOWS", "[1]"),
        ("MODEL_WINDOWS", '{"a": 0}'),
        ("MODEL_WINDOWS", '{"a": "8192"}'),
    ],
)
def test_a_malformed_table_is_named_at_the_start(name: str, raw: str) -> None:
    with pytest.raises(ValueError, match=f"IMPRIMATUR_{name}"):
        Settings.from_environment({f"IMPRIMATUR_{name}": raw})


def test_it_reads_the_tables_of_models() -> None:
    settings = Settings.from_environment(
        {
            "IMPRIMATUR_MODEL_PRICES": '{"openai:a": {"read": 0.1, "written": 1}, "*": {"read": 9, "written": 9}}',
            "IMPRIMATUR_MODEL_WINDOWS": '{"openai:a": 100}',
        }
    )
    assert settings.price_of("openai:a") == (Decimal("0.1"), Decimal(1))
    assert settings.price_of("openai:b") == (Decimal(9), Decimal(9))
    assert (settings.window_of("openai:a"), settings.window_of("openai:b")) == (100, None)


@pytest.mark.postgres
def test_it_adds_up_on_postgresql_too(postgres_world: World) -> None:
    from app.agent.budgets import record_usage
    from app.agent.run_rows import find_run
    from tests.agent.test_races import _start

    uuid = _start(postgres_world)
    with transaction() as connection:
        run = find_run(connection, uuid)
        assert run is not None
        for _ in range(2):
            usage = Usage(requests=1, prompt_tokens=3, completion_tokens=4)
            record_usage(connection, run, "builtin", usage, postgres_world.runtime.settings)
        used = find_used(connection, day_of(now()), user_id=run.owner_id)
    assert used == Used(requests=2, tokens=14, cost_micro=0)


def test_it_tells_how_many_requests_are_left(scene: Scene, identity_of: Any, clock: FakeClock) -> None:
    anna, ben = identity_of("anna"), identity_of("ben")

    def left(person: Any = anna, **settings: Any) -> int | None:
        with reading() as connection:
            known = replace(scene.runtime.settings, **settings)
            return requests_left(connection, person.user_id, 1, known)

    assert (left(), left(person_requests_day=5)) == (None, 5)
    scene.script(READ, text_turn("Done."))
    worked(scene, anna)
    assert left(person_requests_day=5) == 3
    budget(requests=3)
    assert (left(person_requests_day=5), left(ben, person_requests_day=5)) == (1, 1), "that budget is shared"
    budget(tokens=1)
    assert left() == 0, "what is used up leaves nothing"
    clock.advance(DAY)
    assert left() == 3
