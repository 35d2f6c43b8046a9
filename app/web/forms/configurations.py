"""The form of a configuration: what administrators set for a kind of assignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy.engine import Connection
from wtforms import BooleanField, Field, HiddenField, RadioField, StringField, TextAreaField
from wtforms.validators import StopValidation

from app.agent.configurations import ConfigurationValues, ConfigurationView
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.words import GROUP_WORDS
from app.content.grantable import titles_of_pages
from app.content.search import search_records
from app.core.i18n import Text, ptext, text
from app.policy.identity import LIVE, Identity
from app.web.arguments import LONGEST_SEARCH, parse_number
from app.web.forms.base import Form, OneOf, choices, lazy
from app.web.forms.people import OFF, Offered
from app.web.forms.records import BoxesField, one_line_end
from app.web.forms.rights import page_words

REPEATED: Final = ("tool_groups", "excluded_tools", "allowed_groups")
"""Fields of which a form sends several."""
BUDGETS: Final = ("budget_requests_day", "budget_tokens_day", "budget_cost_day")
MOST_DAYS, MOST_BUDGET = 3650, 2**31 - 1
NO_LIMIT, ONLY_THESE = "none", "some"
NO_BRANCH: Final = "0"
MOST_HITS = 20
PEOPLE_LIMITS = (
    (NO_LIMIT, text("Everybody who may work with the AI assistant")),
    (ONLY_THESE, text("Only people of the groups ticked below")),
)
TOOL_LIMITS = (
    (NO_LIMIT, text("Tools of every group, also of groups that are added")),
    (ONLY_THESE, text("Only tools of the groups ticked below")),
)
_FLAGS = ("requires_second_approver", "requires_draft_workspace", "requires_read_before_write", "active")


class Whole:
    """Empty, or a whole number from 0 to ``most``."""

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, _form: Form, field: Field) -> None:
        words = str(field.data or "").strip()
        found = parse_number(words)
        if words and (found is None or found > self.most):
            raise StopValidation(lazy(text("Enter a whole number from 0 to %(most)s, or nothing.", most=self.most)))


class ConfigurationForm(Form):
    """A configuration; the settings of access stand together (DW-01)."""

    seen = HiddenField()
    name = StringField(lazy(ptext("of a configuration", "Name")))
    model = StringField(lazy(text("Model")))
    prompt = TextAreaField(lazy(text("What the AI assistant is told about the site and its style")))
    active = BooleanField(lazy(text("In use")), false_values=OFF)
    people_limit = RadioField(
        lazy(text("Who may use it")), [OneOf(text("Choose who may use it."))], validate_choice=False
    )
    allowed_groups = BoxesField(lazy(text("Groups of people")), [Offered()], validate_choice=False)
    requires_second_approver = BooleanField(
        lazy(text("A second person has to approve every step that writes")), false_values=OFF
    )
    requires_draft_workspace = BooleanField(lazy(text("Require a draft workspace")), false_values=OFF)
    branch_page = RadioField(
        lazy(text("Pages the AI assistant may change")), [OneOf(text("Choose a page."))], validate_choice=False
    )
    branch_search = StringField(lazy(text("Another page by number or title")))
    requires_read_before_write = BooleanField(lazy(text("Read before write")), false_values=OFF)
    tool_limit = RadioField(
        lazy(text("Tools on offer")), [OneOf(text("Choose which tools are offered."))], validate_choice=False
    )
    tool_groups = BoxesField(lazy(text("Groups of tools")), [Offered()], validate_choice=False)
    excluded_tools = BoxesField(lazy(text("Excluded tools")), [Offered()], validate_choice=False)
    approval_days = StringField(lazy(text("Days an approval waits")), [Whole(MOST_DAYS)])
    budget_requests_day = StringField(lazy(text("Requests to the model a day")), [Whole(MOST_BUDGET)])
    budget_tokens_day = StringField(lazy(text("Tokens a day")), [Whole(MOST_BUDGET)])
    budget_cost_day = StringField(lazy(text("Cost a day in hundredths")), [Whole(MOST_BUDGET)])

    def offer(
        self, connection: Connection, registry: ToolRegistry, people: Mapping[int, str], kept: ConfigurationView | None
    ) -> None:
        """Fill in what the fields can be chosen from; what ``kept`` holds stays on offer although it exists no more."""
        self.people_limit.choices = choices(PEOPLE_LIMITS)
        self.tool_limit.choices = choices(TOOL_LIMITS)
        groups = dict.fromkeys((*(tool.facts.group for tool in registry), *(kept.tool_groups if kept else ())))
        self.tool_groups.choices = choices((name, GROUP_WORDS.get(name, name)) for name in groups)
        self.excluded_tools.choices = choices(tool_choices(registry, kept.excluded_tools if kept else ()))
        gone = [number for number in (kept.allowed_groups if kept else ()) if number not in people]
        self.allowed_groups.choices = choices(
            [(str(number), title) for number, title in people.items()]
            + [(str(number), NO_GROUP.with_params(number=str(number))) for number in gone]
        )
        self.offer_pages(connection, {kept.branch_page} if kept else set())

    def offer_pages(self, connection: Connection, uids: set[int]) -> None:
        """Let the person choose among no restriction, these pages and the page chosen already."""
        chosen = parse_number(str(self.branch_page.data or "")) or 0
        wanted = sorted(uid for uid in {*uids, chosen} if uid)
        titles = titles_of_pages(connection, wanted)
        named = [(str(uid), BRANCH.with_params(page=page_words(uid, titles))) for uid in wanted]
        self.branch_page.choices = choices([(NO_BRANCH, text("No restriction")), *named])

    def values(self) -> ConfigurationValues:
        """What was entered; a limit that is not chosen does not count."""
        limits_people, limits_tools = self.people_limit.data == ONLY_THESE, self.tool_limit.data == ONLY_THESE
        flags = {name: bool(self[name].data) for name in _FLAGS}
        return ConfigurationValues(
            name=" ".join((self.name.data or "").split()),
            model=(self.model.data or "").strip(),
            prompt=one_line_end(self.prompt.data or ""),
            tool_groups=tuple(self.tool_groups.data or ()) if limits_tools else (),
            excluded_tools=tuple(self.excluded_tools.data or ()),
            allowed_groups=_numbers(self.allowed_groups.data) if limits_people else (),
            branch_page=parse_number(self.branch_page.data or "") or 0,
            requires_second_approver=flags["requires_second_approver"],
            requires_draft_workspace=flags["requires_draft_workspace"],
            requires_read_before_write=flags["requires_read_before_write"],
            active=flags["active"],
            approval_days=parse_number((self.approval_days.data or "").strip()),
            budget_requests_day=_whole(self.budget_requests_day),
            budget_tokens_day=_whole(self.budget_tokens_day),
            budget_cost_day=_whole(self.budget_cost_day),
        )


def _whole(field: Field) -> int:
    return parse_number((field.data or "").strip()) or 0


def _numbers(values: Iterable[str] | None) -> tuple[int, ...]:
    return tuple(number for value in values or () if (number := parse_number(value)))


NO_GROUP = text("Group no. %(number)s, which does not exist any more")
NO_TOOL = text("%(name)s, which is not installed any more")
BRANCH = text("Only %(page)s and what lies below it")


def tool_choices(registry: ToolRegistry, kept: tuple[str, ...]) -> list[tuple[str, Text]]:
    """Every tool with its group in words, and those of ``kept`` that are gone."""
    known = [
        (tool.facts.name, text("%(tool)s (%(group)s)", tool=tool.label, group=_group(tool.facts.group)))
        for tool in registry
    ]
    names = {name for name, _ in known}
    return [*known, *((name, NO_TOOL.with_params(name=name)) for name in kept if name not in names)]


def _group(name: str) -> Text | str:
    return GROUP_WORDS.get(name, name)


def check_limits(form: ConfigurationForm) -> None:
    """Note at its field a limit to nothing: an empty list is stored as no limit, which would be the opposite."""
    if form.people_limit.data == ONLY_THESE and not form.allowed_groups.data:
        say(form, "allowed_groups", text("Tick at least one group of people, or let everybody use it."))
    if form.tool_limit.data == ONLY_THESE and not form.tool_groups.data:
        say(form, "tool_groups", text("Tick at least one group of tools, or offer tools of every group."))


def read_branch(form: ConfigurationForm, connection: Connection, identity: Identity) -> None:
    """Turn a number or words of a title into the chosen page; several hits are offered to choose from."""
    words = " ".join((form.branch_search.data or "").split())[:LONGEST_SEARCH]
    if not words:
        return
    number = parse_number(words)
    if number is not None:
        if number not in titles_of_pages(connection, [number]):
            say(form, "branch_search", text("There is no page no. %(number)s.", number=str(number)))
            return
        _choose(form, connection, number)
        return
    found = search_records(connection, identity, LIVE, words, table="pages", language_id=0, limit=MOST_HITS).records
    exact = [record.uid for record in found if record.is_exact]
    uids = exact if len(exact) == 1 else [record.uid for record in found]
    if len(uids) == 1:
        _choose(form, connection, uids[0])
    elif not uids:
        say(form, "branch_search", text("No page has these words in its title."))
    else:
        form.offer_pages(connection, set(uids))
        form.branch_search.data = ""
        say(form, "branch_page", text("Several pages have these words in their title. Choose the one you mean."))


def say(form: ConfigurationForm, name: str, sentence: Text) -> None:
    """Show what is wrong at a field."""
    form[name].errors = [*form[name].errors, sentence]


def _choose(form: ConfigurationForm, connection: Connection, uid: int) -> None:
    form.branch_page.data, form.branch_search.data = str(uid), ""
    form.offer_pages(connection, {uid})


def shown_configuration(view: ConfigurationView | None, seen: int) -> dict[str, Any]:
    """What the form holds when it is opened; None = a new configuration with the defaults of the table."""
    if view is None:
        return {
            "seen": "0",
            "model": "builtin",
            "active": True,
            "people_limit": NO_LIMIT,
            "tool_limit": NO_LIMIT,
            "branch_page": NO_BRANCH,
        }
    return {
        **{name: getattr(view, name) for name in ("name", "model", "prompt", *_FLAGS)},
        "seen": str(seen),
        "people_limit": ONLY_THESE if view.allowed_groups else NO_LIMIT,
        "allowed_groups": [str(number) for number in view.allowed_groups],
        "tool_limit": ONLY_THESE if view.tool_groups else NO_LIMIT,
        "tool_groups": list(view.tool_groups),
        "excluded_tools": list(view.excluded_tools),
        "branch_page": str(view.branch_page),
        "approval_days": "" if view.approval_days is None else str(view.approval_days),
        **{name: str(getattr(view, name) or "") for name in BUDGETS},
    }
