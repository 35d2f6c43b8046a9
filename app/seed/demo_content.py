"""Texts of the demo: a small bilingual town museum. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoElement:
    """A content element with its German text, if it has one."""

    header: str
    body: str
    german: tuple[str, str] | None = None
    hidden: bool = False
    days_from: int = 0
    """Shown from so many days after the seed; 0 = no limit."""
    days_until: int = 0
    for_members: bool = False
    picture: str = ""
    """Path of a file that is attached to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoPage:
    """A page; ``key`` names it in the code, ``parent`` is the key of the page above."""

    key: str
    parent: str
    title: str
    description: str = ""
    german: str | None = None
    french: str | None = None
    hidden: bool = False
    days_until: int = 0
    for_members: bool = False
    only_owner: bool = False
    """No show right for the group: the branch below is closed to editors."""
    elements: tuple[DemoElement, ...] = field(default=())


PAGES: tuple[DemoPage, ...] = (
    DemoPage(
        key="visit",
        parent="root",
        title="Visit",
        german="Besuch",
        french="Visite",
        description="Opening hours, tickets and how to find the museum.",
        elements=(
            DemoElement(
                header="Welcome",
                body="The town museum stands between the market and the river. Plan two hours for your visit.",
                german=("Willkommen", "Das Stadtmuseum liegt zwischen Markt und Fluss. Planen Sie zwei Stunden ein."),
            ),
        ),
    ),
    DemoPage(
        key="hours",
        parent="visit",
        title="Opening hours",
        description="When the museum is open.",
        elements=(
            DemoElement(header="Summer", body="April to October: Tuesday to Sunday, 10:00 to 18:00."),
            DemoElement(header="Winter", body="November to March: Wednesday to Sunday, 11:00 to 16:00."),
            DemoElement(header="Holidays", body="Closed on 24, 25 and 31 December.", days_until=60),
        ),
    ),
    DemoPage(
        key="tickets",
        parent="visit",
        title="Tickets and tours",
        german="Eintritt und Führungen",
        elements=(
            DemoElement(
                header="Prices",
                body="| Who | Price |\n| --- | --- |\n| Adults | 8 € |\n| Students | 5 € |\n| Under 12 | free |",
                german=(
                    "Preise",
                    "| Wer | Preis |\n| --- | --- |\n| Erwachsene | 8 € |\n| Studierende | 5 € |\n| Unter 12 | frei |",
                ),
            ),
            DemoElement(
                header="Members",
                body="Members of the museum's circle enter free of charge and bring a guest on Thursdays.",
                for_members=True,
            ),
        ),
    ),
    DemoPage(
        key="directions",
        parent="visit",
        title="Getting here",
        german="Anfahrt",
        elements=(
            DemoElement(
                header="By train",
                body="Ten minutes on foot from the station.",
                german=("Mit der Bahn", "Zehn Minuten zu Fuß vom Bahnhof."),
            ),
        ),
    ),
    DemoPage(
        key="staff",
        parent="visit",
        title="Staff area",
        only_owner=True,
        for_members=True,
        elements=(DemoElement(header="Keys", body="Keys are kept in the office on the first floor."),),
    ),
    DemoPage(
        key="rota", parent="staff", title="Rota", elements=(DemoElement(header="This month", body="See the board."),)
    ),
    DemoPage(
        key="exhibitions",
        parent="root",
        title="Exhibitions",
        german="Ausstellungen",
        description="What the museum shows.",
        elements=(
            DemoElement(
                header="On show",
                body="Three rooms change every season; the collection on the town's history stays.",
                german=("Zu sehen", "Drei Räume wechseln mit jeder Saison; die Sammlung zur Stadtgeschichte bleibt."),
            ),
        ),
    ),
    DemoPage(
        key="summer",
        parent="exhibitions",
        title="Summer exhibition",
        german="Sommerausstellung",
        days_until=90,
        elements=(
            DemoElement(
                header="Boats on the river",
                picture="/editorial/ferry.png",
                body="Forty models and a real ferry. See also [tickets](page:tickets).",
                german=("Boote auf dem Fluss", "Vierzig Modelle und eine echte Fähre."),
            ),
            DemoElement(header="Workshop", body="Build your own boat, every Saturday.", hidden=True),
        ),
    ),
    DemoPage(
        key="evening", parent="exhibitions", title="Members' evening", german="Abend für Mitglieder", for_members=True
    ),
    DemoPage(
        key="archive", parent="exhibitions", title="Past exhibitions", german="Frühere Ausstellungen", hidden=True
    ),
    DemoPage(
        key="collection",
        parent="exhibitions",
        title="Collection",
        german="Sammlung",
        elements=(
            DemoElement(
                header="The town in maps",
                body="Maps from 1580 until today.",
                german=("Die Stadt in Karten", "Karten von 1580 bis heute."),
            ),
        ),
    ),
    DemoPage(
        key="about",
        parent="root",
        title="About us",
        german="Über uns",
        french="À propos",
        elements=(
            DemoElement(
                header="The house",
                body="Built as a granary in 1611, a museum since 1926.",
                german=("Das Haus", "1611 als Kornspeicher erbaut, seit 1926 Museum."),
            ),
        ),
    ),
    DemoPage(key="press", parent="about", title="Press", german="Presse"),
    DemoPage(key="history", parent="about", title="History of the house", german="Geschichte des Hauses"),
)
HOME_GERMAN = "Stadtmuseum"
HOME: tuple[DemoElement, ...] = (
    DemoElement(
        header="Welcome to the town museum",
        body="Six hundred years of a town on its river, in a granary of 1611.\n\n"
        "- [Plan your visit](page:visit): [opening hours](page:hours), [tickets and tours](page:tickets)\n"
        "- See what is [on show](page:exhibitions)\n"
        "- Read [about the house](page:about)",
        german=(
            "Willkommen im Stadtmuseum",
            "Sechshundert Jahre einer Stadt an ihrem Fluss, in einem Kornspeicher von 1611.\n\n"
            "- [Ihren Besuch planen](page:visit): [Eintritt und Führungen](page:tickets)\n"
            "- Sehen, was [ausgestellt ist](page:exhibitions)\n"
            "- Lesen, was das Haus [ausmacht](page:about)",
        ),
    ),
)
"""What the first page of the site says."""
FRENCH_ELEMENTS = {"visit": ("Bienvenue", "Le musée se trouve entre le marché et la rivière.")}
FILES: tuple[tuple[str, str, str, str, str], ...] = (
    # Path, title, alternative text, and both in German.
    (
        "/editorial/ferry.png",
        "The ferry",
        "A wooden ferry with a red roof",
        "Die Fähre",
        "Eine hölzerne Fähre mit rotem Dach",
    ),
    (
        "/press/house.png",
        "The house",
        "The museum seen from the river",
        "Das Haus",
        "Das Museum vom Fluss aus",
    ),
    (
        "/press-archive/opening.png",
        "Opening in 1926",
        "Guests in front of the entrance",
        "Eröffnung 1926",
        "Gäste vor dem Eingang",
    ),
    ("/editorial/poster.png", "Poster of the summer exhibition", "", "", ""),
)
CONTACTS: tuple[tuple[str, str, str, str], ...] = (
    ("Mara Holt", "Visitor desk", "+49 30 5550101", "desk@museum.example"),
    ("Jonas Reuter", "Press", "+49 30 5550102", "press@museum.example"),
)
