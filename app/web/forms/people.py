"""The forms of people and groups: what administrators set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast
from zoneinfo import ZoneInfo

from wtforms import BooleanField, Field, FieldList, HiddenField, RadioField, SelectField, StringField
from wtforms.validators import StopValidation
from wtforms.widgets import DateTimeLocalInput

from app.accounts.values import GroupValues, PersonValues
from app.core.i18n import Text, known_locales, ptext, text
from app.policy.identity import GRANT_APPROVE, GRANT_AUDIT, GRANT_USE
from app.web.forms.base import Form, OneOf, Required, choices, lazy
from app.web.forms.moments import NotAMoment, entered_moment, parse_moment
from app.web.forms.records import BoxesField
from app.web.forms.rights import SPARE_ROWS, RightsForm, mount_rows
from app.web.shell import autonym

OFF = ("", "0", "false")
GRANT_WORDS: Mapping[str, Text] = {
    GRANT_USE: text("Work with the AI assistant"),
    GRANT_APPROVE: text("Approve steps of other people"),
    GRANT_AUDIT: text("Read decisions, refusals and runs of others"),
}
FILE_WORDS: Mapping[str, Text] = {
    "read_file": text("Read files"),
    "write_file": text("Rename, move and delete files"),
    "add_file": text("Add files"),
}
NO_LIMIT, ONLY_THESE = "none", "some"
LIMITS = (
    (NO_LIMIT, text("No limit by this group")),
    (ONLY_THESE, text("Only the languages ticked below")),
)


class Offered:
    """Every chosen value is one of those offered."""

    def __call__(self, _form: Form, field: Field) -> None:
        offered = cast("list[tuple[str, str]]", cast("BoxesField", field).choices or [])
        known = {str(value) for value, _ in offered}
        if not {str(value) for value in field.data or ()} <= known:
            raise StopValidation(lazy(text("Choose from what is offered.")))


class AMoment:
    """Nothing, or a date and time of day in the reader's zone."""

    def __call__(self, form: Form, field: Field) -> None:
        try:
            parse_moment(field.data or "", form.zone)
        except NotAMoment as error:
            raise StopValidation(lazy(error.sentence)) from error


class PersonForm(RightsForm):
    """A person."""

    seen = HiddenField()
    username = StringField(lazy(text("Name to sign in with")), [Required(text("Enter a name to sign in with."))])
    name = StringField(lazy(text("Full name")))
    email = StringField(lazy(text("E-mail address")))
    language = SelectField(
        lazy(text("Language of the interface")), [OneOf(text("Choose a language."))], validate_choice=False
    )
    is_admin = BooleanField(lazy(text("Administrator")), false_values=OFF)
    disabled = BooleanField(lazy(text("Disabled")), false_values=OFF)
    starttime = StringField(lazy(text("May sign in from")), [AMoment()], widget=DateTimeLocalInput())
    endtime = StringField(lazy(text("May sign in until")), [AMoment()], widget=DateTimeLocalInput())
    groups = FieldList(SelectField(validate_choice=False))
    uses_group_page_mounts = BooleanField(lazy(text("Take pages from the groups")), false_values=OFF)
    uses_group_file_mounts = BooleanField(lazy(text("Take folders of files from the groups")), false_values=OFF)

    def __init__(self, zone: ZoneInfo, titles: Mapping[int, str], **options: Any) -> None:
        self.zone = zone
        super().__init__(**options)
        self.language.choices = [(code, autonym(code)) for code in known_locales()]
        group_rows(self.groups, titles, text("Group %(place)s"))

    def values(self, page_mounts: Iterable[int], file_mounts: Any, group_ids: tuple[int, ...]) -> PersonValues:
        """What was entered; moments were checked before."""
        return PersonValues(
            username=(self.username.data or "").strip(),
            name=" ".join((self.name.data or "").split()),
            email=(self.email.data or "").strip(),
            language=self.language.data or "",
            is_admin=bool(self.is_admin.data),
            disabled=bool(self.disabled.data),
            starttime=parse_moment(self.starttime.data or "", self.zone),
            endtime=parse_moment(self.endtime.data or "", self.zone),
            uses_group_page_mounts=bool(self.uses_group_page_mounts.data),
            uses_group_file_mounts=bool(self.uses_group_file_mounts.data),
            page_mounts=tuple(page_mounts),
            file_mounts=tuple(file_mounts),
            group_ids=group_ids,
        )


class GroupForm(RightsForm):
    """A group with its rights."""

    after_mounts = ("file_permissions", "includes")
    seen = HiddenField()
    title = StringField(lazy(text("Title")), [Required(text("Enter a title."))])
    grants = BoxesField(lazy(text("Working with assignments")), [Offered()], validate_choice=False)
    live = BooleanField(lazy(text("Work in the live workspace")), false_values=OFF)
    tables_select = BoxesField(lazy(text("May read")), [Offered()], validate_choice=False)
    tables_modify = BoxesField(lazy(text("May read and change")), [Offered()], validate_choice=False)
    field_grants = BoxesField(lazy(text("Fields that need a grant")), [Offered()], validate_choice=False)
    language_limit = RadioField(
        lazy(text("Limit of languages")), [OneOf(text("Choose whether languages are limited."))], validate_choice=False
    )
    languages = BoxesField(lazy(text("Languages")), [Offered()], validate_choice=False)
    file_permissions = BoxesField(lazy(text("Files")), [Offered()], validate_choice=False)
    includes = FieldList(SelectField(validate_choice=False))

    def __init__(
        self, offered: Mapping[str, list[tuple[str, Text | str]]], titles: Mapping[int, str], **options: Any
    ) -> None:
        super().__init__(**options)
        for name, pairs in offered.items():
            self[name].choices = choices(pairs)
        self.language_limit.choices = choices(LIMITS)
        group_rows(self.includes, titles, text("Included group %(place)s"))

    def values(self, page_mounts: Iterable[int], file_mounts: Any, includes: tuple[int, ...]) -> GroupValues:
        """What was entered; without a limit the ticked languages do not count."""
        limited = self.language_limit.data == ONLY_THESE
        return GroupValues(
            title=" ".join((self.title.data or "").split()),
            grants=tuple(self.grants.data or ()),
            tables_select=tuple(self.tables_select.data or ()),
            tables_modify=tuple(self.tables_modify.data or ()),
            field_grants=tuple(self.field_grants.data or ()),
            languages=tuple(int(value) for value in self.languages.data or ()) if limited else None,
            page_mounts=tuple(page_mounts),
            file_mounts=tuple(file_mounts),
            file_permissions=tuple(self.file_permissions.data or ()),
            live=bool(self.live.data),
            includes=includes,
        )


def group_rows(field: FieldList[Any], titles: Mapping[int, str], label: Text) -> None:
    """Give rows of selects their labels and the groups to choose from."""
    none = ("", ptext("group", "none"))
    for place, row in enumerate(field, start=1):
        row.choices = choices([none, *((str(number), title) for number, title in titles.items())])
        row.label.text = lazy(label.with_params(place=place))


def shown_person(values: PersonValues, zone: ZoneInfo, version: str) -> dict[str, Any]:
    """What the form of a person holds when it is opened."""
    plain = ("username", "name", "email", "language", "is_admin", "disabled")
    return {
        **{name: getattr(values, name) for name in plain},
        "seen": version,
        "starttime": entered_moment(values.starttime, zone),
        "endtime": entered_moment(values.endtime, zone),
        "uses_group_page_mounts": values.uses_group_page_mounts,
        "uses_group_file_mounts": values.uses_group_file_mounts,
        "page_mounts": [str(uid) for uid in values.page_mounts],
        "file_mounts": mount_rows(values.file_mounts),
        "groups": [*map(str, values.group_ids), *[""] * SPARE_ROWS],
    }


def shown_group(values: GroupValues, version: str) -> dict[str, Any]:
    """What the form of a group holds when it is opened."""
    plain = ("title", "grants", "live", "tables_select", "tables_modify", "field_grants", "file_permissions")
    return {
        **{name: getattr(values, name) for name in plain},
        "seen": version,
        "language_limit": NO_LIMIT if values.languages is None else ONLY_THESE,
        "languages": [str(number) for number in values.languages or ()],
        "page_mounts": [str(uid) for uid in values.page_mounts],
        "file_mounts": mount_rows(values.file_mounts),
        "includes": [*map(str, values.includes), *[""] * SPARE_ROWS],
    }
