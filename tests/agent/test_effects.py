from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.agent.effects import Effect, Names, Place, effect_of
from app.content.types import ChangeAction, ChangeSet, FieldChange, ObservedChange

UPDATED = ObservedChange(
    table="pages",
    uid=7,
    live_uid=7,
    action=ChangeAction.UPDATED,
    workspace_id=0,
    page_uid=7,
    title="Home",
    language_id=0,
    hidden=False,
    starttime=0,
    endtime=0,
    groups=(),
    is_target=True,
    fields=(FieldChange(name="title", old="Home", new="Start"),),
)


def created(table: str, uid: int, **values: object) -> ObservedChange:
    fields = tuple(FieldChange(name=name, old=None, new=value) for name, value in values.items())  # type: ignore[arg-type]
    return replace(
        UPDATED,
        table=table,
        uid=uid,
        live_uid=uid,
        action=ChangeAction.CREATED,
        page_uid=uid if table == "pages" else 3,
        is_target=False,
        created_uid=True,
        fields=fields,
    )


def effect(*changes: ObservedChange, names: Names | None = None, ordinal: int = 0, **places: Place) -> Effect:
    where = {("pages", int(name[1:])): place for name, place in places.items()}
    return effect_of(ChangeSet(changes=changes), ordinal, names or Names(), where)


def test_it_changes_with_everything_the_approver_reads() -> None:
    before = effect(UPDATED).hash
    for other in (
        {"title": "House"},
        {"uid": 8, "live_uid": 8},
        {"action": ChangeAction.MOVED},
        {"workspace_id": 1},
        {"page_uid": 8},
        {"language_id": 1},
        {"hidden": True},
        {"hidden": None},
        {"starttime": 1},
        {"endtime": 1},
        {"groups": (1,)},
        {"is_target": False},
        {"created_uid": True},
        {"fields": (FieldChange(name="title", old="Home", new="Begin"),)},
        {"fields": (FieldChange(name="title", old="House", new="Start"),)},
        {"fields": ()},
    ):
        assert effect(replace(UPDATED, **other)).hash != before, other  # type: ignore[arg-type]
    assert effect().hash != before
    assert effect(UPDATED, created("contacts", 9, name="A")).hash != before


def test_it_ignores_clocks_numbers_and_generated_keys() -> None:
    noise = [FieldChange(name=name, old=1, new=2) for name in ("rev", "changed_at", "created_at", "sorting")]
    assert effect(replace(UPDATED, fields=(*UPDATED.fields, *noise))) == effect(UPDATED)


def test_it_writes_placeholders_wherever_a_new_record_is_referred_to() -> None:
    def made(first: int, second: int) -> Effect:
        return effect(
            created("pages", first, title="A"),
            created("pages", second, title="B"),
            replace(
                created("content_elements", first, header="H", body=f"See page:{second} and page:5"), page_uid=first
            ),
            replace(created("redirects", 4, source="/x", target_page=second), page_uid=0),
            p101=Place(pid=3, translation_parent=0),
            p102=Place(pid=101, translation_parent=0),
            p201=Place(pid=3, translation_parent=0),
            p202=Place(pid=201, translation_parent=0),
        )

    one, two = made(101, 102), made(201, 202)
    assert one == two
    assert [record.name for record in one.records] == [
        "+0.pages.1",
        "+0.pages.2",
        "+0.content_elements.1",
        "+0.redirects.1",
    ]
    body = {item.name: item.new for item in one.records[2].fields}["body"]
    assert body == "See page:+0.pages.2 and page:5"
    assert {item.name: item.new for item in one.records[3].fields}["target_page"] == "+0.pages.2"
    assert [record.page_uid for record in one.records[:3]] == [3, 3, 3]


def test_it_tells_apart_where_a_new_page_lies() -> None:
    page = created("pages", 101, title="A")
    here, there = Place(pid=3, translation_parent=0), Place(pid=4, translation_parent=0)
    assert effect(page, p101=here).hash != effect(page, p101=there).hash


def test_it_names_what_an_earlier_call_created() -> None:
    names = Names()
    effect(created("pages", 50, title="A"), names=names, ordinal=0, p50=Place(pid=3, translation_parent=0))
    later = effect(replace(UPDATED, uid=50, live_uid=50, page_uid=50), names=names, ordinal=1)
    (record,) = later.records
    assert (record.name, record.uid, record.live_uid, record.page_uid) == ("+0.pages.1", 0, 0, 3)


def test_it_judges_a_version_row_that_does_not_exist_yet_by_its_live_row() -> None:
    fresh = effect(replace(UPDATED, uid=99, workspace_id=1, created_uid=True)).records[0]
    known = effect(replace(UPDATED, uid=99, workspace_id=1)).records[0]
    assert (fresh.uid, known.uid, fresh.live_uid) == (7, 99, 7)


def test_it_bounds_the_records_but_hashes_and_counts_all() -> None:
    many = [replace(UPDATED, uid=number, live_uid=number) for number in range(1, 251)]
    found = effect(*many)
    assert (len(found.records), found.total, found.counts) == (200, 250, (("pages", ChangeAction.UPDATED, 250),))
    assert effect(*many[:-1]).hash != found.hash
    last = replace(many[-1], title="Other")
    assert effect(*many[:-1], last).hash != found.hash


@given(st.permutations(list(range(1, 9))))
def test_it_does_not_depend_on_the_order_of_observation_of_existing_records(order: list[int]) -> None:
    rows = {number: replace(UPDATED, uid=number, live_uid=number) for number in range(1, 9)}
    assert effect(*(rows[number] for number in order)).hash == effect(*rows.values()).hash


def test_it_ends_at_the_root_when_parents_form_a_circle() -> None:
    names = Names(known={("pages", 1): "+0.pages.1", ("pages", 2): "+0.pages.2"}, parents={1: 2, 2: 1})
    assert names.nearest_page(1) == 0
