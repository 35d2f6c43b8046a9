"""Language, appearance, time zone and sending key."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

from wtforms import RadioField, SelectField

from app.core.i18n import known_locales, ptext, text
from app.web.forms.base import Form, OneOf, choices, lazy
from app.web.shell import autonym

APPEARANCES = (
    ("system", ptext("appearance", "System")),
    ("light", ptext("appearance", "Light")),
    ("dark", ptext("appearance", "Dark")),
)
REGIONS = frozenset(
    ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"]
)
SENDING_KEYS = (("ctrl", text("Ctrl + Enter sends")), ("enter", text("Enter sends, Shift + Enter adds a line")))


class AppearanceForm(Form):
    """What the footer of every page offers."""

    theme = RadioField(lazy(text("Appearance")), [OneOf(text("Choose an appearance."))], validate_choice=False)

    def __init__(self, *, filled: bool = False, **values: str) -> None:
        """``filled`` = show ``values`` and not what was sent."""
        super().__init__(**({"formdata": None, "data": values} if filled else {}))
        self.theme.choices = choices(APPEARANCES)


class BrowserForm(AppearanceForm):
    """What somebody who is not signed in can choose for this browser."""

    language = SelectField(
        lazy(text("Language of the interface")), [OneOf(text("Choose a language."))], validate_choice=False
    )

    def __init__(self, *, filled: bool = False, **values: str) -> None:
        super().__init__(filled=filled, **values)
        self.language.choices = [(code, autonym(code)) for code in known_locales()]


class PreferencesForm(BrowserForm):
    """What a person can choose."""

    timezone = SelectField(lazy(text("Time zone")), [OneOf(text("Choose a time zone."))], validate_choice=False)
    sending_key = RadioField(
        lazy(text("Sending a message with the keyboard")), [OneOf(text("Choose a key."))], validate_choice=False
    )

    def __init__(self, *, filled: bool = False, **values: str) -> None:
        super().__init__(filled=filled, **values)
        usual = ("", text("The usual one of this site"))
        self.timezone.choices = [*choices([usual]), *((zone, zone.replace("_", " ")) for zone in time_zones())]
        self.sending_key.choices = choices(SENDING_KEYS)


@cache
def time_zones() -> tuple[str, ...]:
    """Time zones by region and city."""
    return (*sorted(zone for zone in available_timezones() if zone.split("/")[0] in REGIONS and "/" in zone), "UTC")
