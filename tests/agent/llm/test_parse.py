# ruff: noqa: RUF001 - a row is read as one line; German opens a quotation with its own mark
"""Sentences and what they mean, both languages. A row: sentence, then one short text per intent."""

from __future__ import annotations

import pytest

from app.agent.llm.builtin.intents import Intent, Reference
from app.agent.llm.builtin.parse import parse_message
from app.agent.llm.builtin.text import mask
from app.agent.llm.builtin.words import detect_language


def name(reference: Reference) -> str:
    short = {"title": reference.title, "number": f"#{reference.number}"}.get(reference.kind, f"<{reference.kind}>")
    return {"content_elements": "element ", "files": "file "}.get(reference.table, "") + short


def short(intent: Intent) -> str:
    parts = [intent.kind + (f".{intent.field}" if intent.field else "")]
    parts += [name(intent.subject)] if intent.subject else []
    parts += [f"below {name(intent.target)}"] if intent.target else []
    parts += [f"= {intent.text}"] if intent.text is not None else []
    parts += [f"[{intent.heading}]"] if intent.heading else []
    parts += [f"> {intent.language}"] if intent.language else []
    parts += ["+subpages"] if intent.subpages else []
    parts += ["for a while"] if intent.temporary else []
    return " ".join(parts)


ENGLISH = [
    ("Copy the page 'Article management' with its subpages below 'Guides'", "copy Article management below Guides +subpages"),
    ("Copy the page “A” below “B” including subpages.", "copy A below B +subpages"),
    ("Copy page 'A' and its subpages below 'B'", "copy A below B +subpages"),
    ("copy no. 42 to page 5 without its subpages", "copy #42 below #5"),
    ("duplicate page 42", "copy #42"),
    ("copy the page Opening hours below Museum and translate it", "copy Opening hours below Museum", "translate <last>"),
    ("Translate the page 'Opening hours' into German and hide the old one", "translate Opening hours > German", "hide <old>"),
    ("translate page 7 to de", "translate #7 > de"),
    ("translate the page Welcome to Rome into French", "translate Welcome to Rome > French"),
    ("Create a German translation of the page 'Tickets'", "translate Tickets > German"),
    ("Rename the page 'Terms and conditions' to 'Terms' and then describe it as 'The terms.'",
     "metadata.title Terms and conditions = Terms", "metadata.description <last> = The terms."),
    ("rename page Terms and conditions to Terms", "metadata.title Terms and conditions = Terms"),
    ("Change the title of page 5 to 'New'", "metadata.title #5 = New"),
    ("set the subtitle of page 42 to 'S'", "metadata.subtitle #42 = S"),
    ("Give page 42 the navigation title 'Nav'", "metadata.nav_title #42 = Nav"),
    ("Describe the page 'Contact' as 'How to find us'", "metadata.description Contact = How to find us"),
    ("describe page 42", "metadata.description #42"),
    ("Please could you hide the 'Opening hours' page?", "hide Opening hours"),
    ("hide pages 42 and 43", "hide #42", "hide #43"),
    ("Delete the pages 'A', 'B' and 'C'!", "delete A", "delete B", "delete C"),
    ("take page 3 offline, bring page 4 back online", "hide #3", "unhide #4"),
    ("unhide page 42; publish 'X'", "unhide #42", "unhide X"),
    ("show the page 'X' again", "unhide X"),
    ("make 'X' visible", "unhide X"),
    ("I would like you to delete page 9, please.", "delete #9"),
    ("create a page 'News' below 'Museum' and add the text 'First.' to it",
     "create_page below Museum = News", "add_text <last> = First."),
    ("Create a new page called 'News' under page 5", "create_page below #5 = News"),
    ("create a page", "create_page"),
    ("Add the text 'We are closed.' to the page 'Opening hours' with the heading 'Closed'",
     "add_text Opening hours = We are closed. [Closed]"),
    ("add the text \"Hello and delete page 5\" to page 42", "add_text #42 = Hello and delete page 5"),
    ("hide content element 118", "hide element #118"),
    ("change the text of element 118 to 'New'", "element.body element #118 = New"),
    ("rename content element 118 to 'H'", "element.header element #118 = H"),
    ("What is on page 42?", "show #42"),
    ("what's on the page 'X'", "show X"),
    ("show page Opening hours", "show Opening hours"),
    ("find pages about tickets", "find = tickets"),
    ("Search for “winter hours”", "find = winter hours"),
    ("list the languages", "languages"),
    ("show me the page tree", "tree"),
    ("which pages are there below 'Museum'?", "tree Museum"),
    ("hello", "greet"),
    ("What can you do?", "help"),
    ("Are you a human?", "help"),
    ("thanks!", "thanks"),
    ("copy and translate the page 'X'", "copy X", "translate X"),
    ("Hide the German page 'Museum'", "hide Museum"),
    ("Hi, please find 'tickets' and show it", "greet", "find = tickets", "show <last>"),
    ("delete the original", "delete <old>"),
    ("Translate 'Opening hours' to German, rename page 5 to 'New', and delete page 6.",
     "translate Opening hours > German", "metadata.title #5 = New", "delete #6"),
    ("move page 5 below 6", "move #5 below #6"),
    ("Move the page 'X' below 'Y' and hide it", "move X below Y", "hide <last>"),
    ("please move the page Contact to the page About us", "move Contact below About us"),
    ("Move the page 'X' right after 'Y'", "move.after X below Y"),
    ("move element 118 after element 119", "move.after element #118 below element #119"),
    ("Move content element 118 to page 42", "move element #118 below #42"),
    ("move it up", "unsupported = move it up"),
    ("Redirect /old to the page 'X'", "redirect below X = /old"),
    ("redirect the address “/old/page.html” to page 42 temporarily", "redirect below #42 = /old/page.html for a while"),
    ("Create a temporary redirect from /old to 'X'", "redirect below X = /old for a while"),
    ("Set the alternative text of the file 'a.png' to 'A red ferry'", "alternative file a.png = A red ferry"),
    ("change the German alt text of file 3 to “Fähre”", "alternative file #3 = Fähre > German"),
    ("Give the file 'a.png' the alternative text 'A ferry'", "alternative file a.png = A ferry"),
    ("Attach the file 'a.png' to content element 118", "attach file a.png below element #118"),
    ("attach file 3 to the element 'Summer' and hide page 5", "attach file #3 below element Summer", "hide #5"),
    ("Restore the page 'X'", "undelete X"),
    ("undelete element 118", "undelete element #118"),
    ("bring the deleted page 'X' back", "undelete X"),
    ("bring page 'X' back online", "unhide X"),
]  # fmt: skip

GERMAN = [
    ("Kopiere die Seite „Artikelverwaltung“ mit ihren Unterseiten unter „Anleitungen“",
     "copy Artikelverwaltung below Anleitungen +subpages"),
    ("Kopieren Sie Seite 42 samt Unterseiten unter die Seite „B“.", "copy #42 below B +subpages"),
    ("kopier Seite Nr. 42", "copy #42"),
    ("Kopiere die Seite „Öffnungszeiten“ unter „Museum“ und übersetze sie",
     "copy Öffnungszeiten below Museum", "translate <last>"),
    ("Bitte die Seite „Kontakt“ unter „Museum“ kopieren und die Seite „Alt“ löschen",
     "copy Kontakt below Museum", "delete Alt"),
    ("Übersetze die Seite „Opening hours“ ins Deutsche und blende die alte aus.",
     "translate Opening hours > Deutsche", "hide <old>"),
    ("Übersetzen Sie Seite 7 auf Englisch", "translate #7 > Englisch"),
    ("Erstelle eine deutsche Übersetzung der Seite „Tickets“", "translate Tickets > deutsche"),
    ("Kannst du die Seite ‚A‘ ins Deutsche übersetzen?", "translate A > Deutsche"),
    ("Benenne die Seite „Kontakt“ in „Ansprechpartner“ um", "metadata.title Kontakt = Ansprechpartner"),
    ("Benennen Sie die Seite Nr. 42 in „B“ um und löschen Sie Seite 43", "metadata.title #42 = B", "delete #43"),
    ("Beschreibe die Seite „Kontakt“ als „So finden Sie uns“", "metadata.description Kontakt = So finden Sie uns"),
    ("Gib der Seite „Kontakt“ die Beschreibung „Text“", "metadata.description Kontakt = Text"),
    ("Ändere den Untertitel von Seite 5 in „U“", "metadata.subtitle #5 = U"),
    ("Blende die Seiten „X“ und „Y“ aus", "hide X", "hide Y"),
    ("Verstecke Seite 42, bitte", "hide #42"),
    ("Ich möchte die Seite „Kontakt“ ausblenden.", "hide Kontakt"),
    ("Kannst du bitte die Seite 42 ausblenden?", "hide #42"),
    ("Nimm Seite 3 offline", "hide #3"),
    ("Blende «X» wieder ein", "unhide X"),
    ("Veröffentliche die Seite „X“", "unhide X"),
    ("Mache die Seite „X“ sichtbar", "unhide X"),
    ("Lösche die Seiten 42 und 43", "delete #42", "delete #43"),
    ("Entferne Nr. 9", "delete #9"),
    ("Lege eine Seite „Neues“ unter „Museum“ an", "create_page below Museum = Neues"),
    ("Lege unter „Museum“ eine neue Seite „Neues“ an und beschreibe sie als „Aktuelles“",
     "create_page below Museum = Neues", "metadata.description <last> = Aktuelles"),
    ("Erstelle eine Seite „Neues“ unter Seite 5.", "create_page below #5 = Neues"),
    ("Füge den Text „Wir haben zu.“ auf der Seite „Öffnungszeiten“ mit der Überschrift „Zu“ hinzu",
     "add_text Öffnungszeiten = Wir haben zu. [Zu]"),
    ("Füge auf der Seite „Öffnungszeiten“ den Text „Wir haben zu.“ hinzu.", "add_text Öffnungszeiten = Wir haben zu."),
    ("Blende das Inhaltselement 118 aus", "hide element #118"),
    ("Ändere den Text von Element 118 in „Neu“", "element.body element #118 = Neu"),
    ("Was steht auf der Seite „Kontakt“?", "show Kontakt"),
    ("Zeige die Seite Öffnungszeiten", "show Öffnungszeiten"),
    ("Hallo, kannst du mir die Seite „Kontakt“ zeigen?", "greet", "show Kontakt"),
    ("Suche nach „Eintritt“", "find = Eintritt"),
    ("Finde Eintrittspreise", "find = Eintrittspreise"),
    ("Welche Sprachen gibt es?", "languages"),
    ("Zeige den Seitenbaum", "tree"),
    ("Welche Seiten gibt es unter „Museum“?", "tree Museum"),
    ("Was kannst du?", "help"),
    ("Hallo!", "greet"),
    ("Danke", "thanks"),
    ("Verschiebe Seite 42 unter „X“", "move #42 below X"),
    ("Kannst du die Seite „X“ unter „Y“ verschieben?", "move X below Y"),
    ("Verschieben Sie die Seite „X“ hinter die Seite „Y“", "move.after X below Y"),
    ("Verschiebe Element 118 hinter Element 119", "move.after element #118 below element #119"),
    ("Verschiebe das Inhaltselement 118 auf Seite 42", "move element #118 below #42"),
    ("Leite /alt auf die Seite „X“ um", "redirect below X = /alt"),
    ("Leite die Adresse „/alt/seite.html“ vorübergehend auf Seite 42 um", "redirect below #42 = /alt/seite.html for a while"),
    ("Lege eine Weiterleitung von /alt auf die Seite „X“ an", "redirect below X = /alt"),
    ("Bitte /alt auf die Seite „X“ weiterleiten", "redirect below X = /alt"),
    ("Setze den Alternativtext der Datei „a.png“ auf „Eine rote Fähre“", "alternative file a.png = Eine rote Fähre"),
    ("Ändere den englischen Alternativtext von Datei 3 in „Ferry“", "alternative file #3 = Ferry > englischen"),
    ("Gib der Datei „a.png“ den Alternativtext „Fähre“", "alternative file a.png = Fähre"),
    ("Hänge die Datei „a.png“ an das Inhaltselement 118 an", "attach file a.png below element #118"),
    ("Füge die Datei „a.png“ zum Inhaltselement „Sommer“ hinzu", "attach file a.png below element Sommer"),
    ("Stelle die Seite „X“ wieder her", "undelete X"),
    ("Kannst du bitte die Seite „X“ wiederherstellen?", "undelete X"),
    ("Stellen Sie Seite 42 wieder her und blenden Sie sie aus", "undelete #42", "hide <last>"),
    ("Hole die Seite „X“ zurück", "undelete X"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "meaning"), [(row[0], list(row[1:])) for row in ENGLISH])
def test_it_understands_english(sentence: str, meaning: list[str]) -> None:
    parsed = parse_message(sentence)
    assert [short(intent) for intent in parsed.intents] == meaning
    assert (parsed.unclear, parsed.excluded) == ((), ())


@pytest.mark.parametrize(("sentence", "meaning"), [(row[0], list(row[1:])) for row in GERMAN])
def test_it_understands_german(sentence: str, meaning: list[str]) -> None:
    parsed = parse_message(sentence)
    assert [short(intent) for intent in parsed.intents] == meaning
    assert (parsed.unclear, parsed.excluded) == ((), ())
    assert parsed.language == "de"


@pytest.mark.parametrize(
    "sentence",
    [
        "Delete everything",
        "Lösche alles",
        "Why is page 42 hidden?",
        "Did you delete page 42?",
        "Should I delete the page 'X'?",
        "Soll ich die Seite „X“ löschen?",
        "Soll ich die Seite Kontakt löschen?",
        "Hast du die Seite „X“ gelöscht?",
        "Do not delete page 42",
        "Please don't hide 'X'",
        "Lösche die Seite 42 nicht",
        "never publish page 4",
        "Lösche die Seite Kontakt nicht",
        "Delete page Contact unless Anna needs it",
        "Warum Kontakt löschen?",
        "The page 'X' was deleted",
        "'delete page 5'",
        "“Hide page 5 and delete page 6”",
        "delete",
    ],
)
def test_it_takes_no_change_from_what_asks_denies_or_is_quoted(sentence: str) -> None:
    assert [i for i in parse_message(sentence).intents if i.subject is None or i.subject.kind != "last"] == []


def test_it_marks_a_denial_whose_reach_is_unclear() -> None:
    assert parse_message("Do not translate and hide page 42").negation_leads
    assert not parse_message("Hide page 42 but do not delete it").negation_leads


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("'Anna's page'", ("Anna's page",)),
        ("don't hide 'X'", ("X",)),
        ("„A“ “B” ‚C‘ ‘D’ \"E\" «F» »G« 'H'", ("A", "B", "C", "D", "E", "F", "G", "H")),
        ("page 42, no. 7 and #9", (7, 9, 42)),
        ("'open", ()),
        ("'' \"\"", ()),
    ],
)
def test_it_masks_quotes_and_numbers(text: str, values: tuple[str | int, ...]) -> None:
    assert mask(text).values == values


@pytest.mark.parametrize(
    ("text", "language"),
    [("hide page", "en"), ("blende die seite aus", "de"), ("xyz", None), ("Zeige die Seite", "de"), ("", None)],
)
def test_it_tells_the_language(text: str, language: str | None) -> None:
    assert detect_language(text) == language
