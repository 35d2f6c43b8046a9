"""The German requests. Documented in docs/built-in-assistant.md; a form added here belongs there too.

Verbs come in the imperative ("kopiere", "kopier", "kopieren Sie") and at the end ("... bitte kopieren").
"""

# ruff: noqa: E501 - a pattern cut over lines is harder to check than a long one

from __future__ import annotations

from app.agent.llm.builtin.grammar import Grammar, compiled, reference_patterns, rule
from app.agent.llm.builtin.text import TOKEN


def _v(*stems: str) -> str:
    """The imperative forms of verbs."""
    return rf"(?:{'|'.join(stems)})(?:en sie|n sie|e|t|st du|)"


_BELOW = r"(?:unter|unterhalb(?: von)?|in|nach|auf)"
_ON = r"(?:auf|in|zu|zur|bei|an|der|am ende von|am ende der)"
_ARTICLE = r"der|die|das|den|dem|des|eine|einer|einen|ein|diese|dieser|dieses|unsere|unserer|meine|meiner|von"
_NOUN = r"(?:unter)?seiten?|(?:inhalts)?elemente?n?s?|(?:inhalts)?blöcke?n?|(?:inhalts)?block(?:s|es)?|datei(?:en)?"
_REFERENCE, _BARE = reference_patterns(
    article=_ARTICLE, noun=_NOUN, called=r"namens|mit dem titel|mit dem namen|genannt"
)
_FIELD = r"(?P<field>titel|namen?|untertitel|beschreibung|(?:stichwörter|schlüsselwörter|schlagwörter)n?|navigationstitel|menütitel)"
_TEXT = r"(?:den |einen |diesen |das |ein )?(?:neuen |neues )?(?:text|absatz|satz|inhalt|inhaltselement|hinweis)"
_TO = r"(?:auf|zu|zur|nach)"
_FOR = r"(?: vorübergehend| dauerhaft)?"
_INTO = r"(?:ins|in das|in die|in|auf|nach)"
_LANG = rf"{_INTO} (?P<lang>[^\W\d_][\w-]*)(?: sprache)?"
_COPY, _TRANSLATE = _v("kopier", "duplizier"), _v("übersetz", "uebersetz")
_PAGE_WORDS = r"(?:eine |die )?(?:(?:neue|leere|versteckte|verborgene) )*(?:unter)?seite(?: (?:namens|mit dem titel|mit dem namen))?"
_MAKE = rf"(?:{_v('erstell', 'erzeug', 'leg', 'füg', 'fueg')}|mache?)"
_DELETE, _PUT = _v("lösch", "loesch", "entfern"), _v("füg", "fueg", "ergänz", "schreib", "setz")
_ENDS = (
    r"(?:kopieren|duplizieren|übersetzen|uebersetzen|umbenennen|ausblenden|einblenden|verstecken|verbergen|löschen|loeschen"
    r"|verschieben|wiederherstellen|umleiten|weiterleiten|anhängen|zurückholen"
    r"|entfernen|veröffentlichen|anlegen|erstellen|hinzufügen|einfügen|ergänzen|beschreiben|anzeigen|zeigen|suchen|finden)"
)
_VERBS = (
    r"kopier|duplizier|übersetz|uebersetz|benenn|nenn|beschreib|blend|versteck|verberg|verbirg|deaktivier|veröffentlich"
    r"|veroeffentlich|schalt|lösch|loesch|entfern|leg|erstell|erzeug|füg|fueg|ergänz|schreib|setz|änder|aender|gib|geben"
    r"|zeig|such|find|öffne|liste|mach|nimm|nehmen|verschieb|lad|leit|häng|haeng|stell|hol"
)

GERMAN = Grammar(
    language="de",
    rules=(
        rule("help", r"hilfe|hilf mir|was (?:kannst du|können sie)(?: (?:tun|machen|alles|für mich tun))*"
                     r"|was kann ich (?:dich|sie|hier)? ?(?:fragen|tun|sagen|machen)|wie funktioniert das"),
        rule("help", r"(?:wer|was) (?:bist du|sind sie)|bist du (?:ein |eine )?(?:mensch|roboter|ki|maschine|bot|person)\b.*"
                     r"|was (?:verstehst du|verstehen sie)|was kannst du nicht"),
        rule("greet", r"hallo|hi|hey|moin|servus|grüß gott|guten (?:tag|morgen|abend)"),
        rule("thanks", r"danke(?: schön| sehr| dir| ihnen)?|vielen dank|super|prima|perfekt|ok|okay"),
        rule("languages", rf"(?:{_v('zeig', 'list', 'nenn')}(?: mir)?|welche) (?:die |unsere )?sprachen"
                          r"(?: (?:gibt es|haben wir|hat die website|der website|auf|an|sind da))*"),
        rule("tree", rf"{_v('zeig', 'list')}(?: mir)? (?:den seitenbaum|die seitenstruktur|die struktur|die seiten)(?: an| auf)?"),
        rule("tree", r"welche (?:unter)?seiten (?:gibt es|haben wir|hat)(?: (?:unter |unterhalb von )?<subject>)?"
                     rf"|{_v('zeig', 'list')}(?: mir)? die (?:unterseiten (?:von|der|unter)|seiten (?:unter|unterhalb(?: von)?))"
                     r" <subject2>(?: an| auf)?"),
        rule("undelete", rf"{_v('stell')} <subject> wieder her|{_v('hol')} <subject2> zurück"
                         r"|<subject3> (?:wiederherstellen|wieder herstellen|zurückholen)"),
        rule("unhide", rf"{_v('blend')} <subject>(?: wieder)? ein|{_v('veröffentlich', 'veroeffentlich')} <subject2>"
                       rf"|{_v('zeig')} <subject3> wieder(?: an)?|{_v('mach')} <subject4> (?:wieder )?(?:sichtbar|öffentlich)"
                       rf"|{_v('schalt')} <subject5> (?:wieder )?(?:frei|online)"
                       r"|<subject6> (?:wieder )?(?:einblenden|veröffentlichen|sichtbar machen|freischalten)"),
        rule("hide", rf"{_v('blend')} <subject> aus|(?:{_v('versteck', 'verberg', 'deaktivier')}|verbirg) <subject2>"
                     rf"|(?:nimm|nehmen sie|{_v('schalt')}) <subject3> (?:offline|vom netz)"
                     r"|<subject4> (?:ausblenden|verstecken|verbergen|deaktivieren)"),
        rule("find", rf"(?:{_v('such', 'find')}|wo (?:ist|finde ich|steht))(?: mir)?(?: nach)? "
                     r"(?:(?:(?:die|eine|der|den) )?seiten? )?(?:(?:über|zu|zum|zur|mit|namens) )?<query>"
                     r"|nach <query2> suchen"),
        rule("show", rf"(?:{_v('zeig', 'öffn', 'oeffn')}|lies)(?: mir)? <subject>(?: an)?"
                     r"|was (?:ist|steht|gibt es|befindet sich) (?:alles )?(?:auf|in) <subject2>|<subject3> (?:an)?zeigen"),
        rule("copy", rf"{_COPY} <subject>(?: {_BELOW} <target>)?|<subject2>(?: {_BELOW} <target2>)? (?:kopieren|duplizieren)"),
        rule("move", rf"{_v('verschieb')} <subject> (?:direkt |gleich )?hinter <target>"
                     r"|<subject2> (?:direkt |gleich )?hinter <target2> verschieben", "after"),
        rule("move", rf"{_v('verschieb')} <subject> {_BELOW} <target>|<subject2> {_BELOW} <target2> verschieben"),
        rule("redirect", rf"{_v('leit')} (?:die adresse |den pfad )?<address>{_FOR} {_TO} <target>{_FOR} (?:um|weiter)"
                         rf"|{_v('leit')} (?:die adresse |den pfad )?<address2>{_FOR} (?:um|weiter) {_TO} <target2>{_FOR}"
                         rf"|(?:die adresse |den pfad )?<address3>{_FOR} {_TO} <target3>{_FOR} (?:umleiten|weiterleiten)"),
        rule("redirect", rf"{_MAKE} eine (?:dauerhafte |vorübergehende )?weiterleitung von (?:der adresse |dem pfad )?<address>"
                         rf" {_TO} <target>(?: an)?"),
        rule("alternative", rf"{_v('änder', 'aender', 'setz')} den (?:(?P<lang>[^\W\d_]+) )?alternativtext (?:von |vom |für )?"
                            r"<subject> (?:auf|in|zu) <text>"
                            r"|(?:gib|geben sie) <subject2> den (?:(?P<lang2>[^\W\d_]+) )?alternativtext <text2>",
             "", "files"),
        rule("attach", rf"{_v('häng', 'haeng')} <subject> (?:an|zu) <target>(?: an)?"
                       rf"|{_PUT} <subject2> (?:auf|in|zu|zum|bei|an) <target2>(?: hinzu| ein| an)"
                       r"|<subject3> (?:an|zu|zum) <target3> (?:anhängen|hinzufügen)", "", "files"),
        rule("translate", rf"{_TRANSLATE} <subject> {_LANG}|{_TRANSLATE} {_INTO} (?P<lang2>\w+) <subject2>"),
        rule("translate", rf"<subject> {_LANG} (?:übersetzen|uebersetzen)|<subject2> (?:übersetzen|uebersetzen)"),
        rule("translate", rf"{_TRANSLATE} <subject>"),
        rule("translate", rf"{_MAKE} (?:eine|die) (?P<lang>[^\W\d_]+) übersetzung (?:von|für|der|zu) <subject>(?: an)?"
                          r"|(?:eine|die) (?P<lang2>[^\W\d_]+) übersetzung (?:von|für|der|zu) <subject2> (?:erstellen|anlegen)"),
        rule("element", rf"{_v('benenn')} <subject> (?:in|zu) <text> um|<subject2> (?:in|zu) <text2> umbenennen"
                        rf"|{_v('änder', 'aender', 'setz')} die überschrift (?:von |vom |des |im )?<subject3>"
                        r" (?:auf|in|zu|zum) <text3>", "header", "content_elements"),
        rule("element", rf"{_v('änder', 'aender', 'setz', 'ersetz')} den (?:text|inhalt) (?:von |vom |des |im )?<subject>"
                        r" (?:auf|in|zu|durch|mit) <text>", "body", "content_elements"),
        rule("metadata", rf"{_v('benenn')} <subject> (?:in|zu|nach) <text> um|{_v('benenn')} <subject2> um (?:in|zu) <text2>"
                         rf"|<subject3> (?:in|zu) <text3> umbenennen|{_v('nenn')} <subject4> in <text4> um", "title"),
        rule("metadata", rf"{_v('änder', 'aender', 'setz')} (?:die|den|das) {_FIELD} (?:von |für )?<subject>"
                         rf" (?:auf|in|zu|als) <text>|(?:gib|geben sie) <subject2> (?:die|den|das) {_FIELD.replace('field', 'field2')}"
                         r" <text2>"),
        rule("metadata", rf"{_v('beschreib')} <subject>(?: (?:als|mit|durch) <text>)?"
                         r"|<subject2> (?:als|mit) <text2> beschreiben", "description"),
        rule("metadata", rf"{_v('schreib', 'erstell')} (?:eine|die) (?P<field>beschreibung) (?:für|von|zu) <subject>"),
        rule("create_page", rf"{_MAKE} {_PAGE_WORDS} <title> {_BELOW} <target>(?: an| hinzu)?"
                            rf"|{_PAGE_WORDS} <title2> {_BELOW} <target2> (?:anlegen|erstellen)"),
        rule("create_page", rf"{_MAKE} {_BELOW} <target> {_PAGE_WORDS} <title>(?: an| hinzu)?"),
        rule("create_page", rf"{_MAKE} {_PAGE_WORDS}(?: <title>)??(?: an)?|{_PAGE_WORDS}(?: <title2>)? (?:anlegen|erstellen)"),
        rule("add_text", rf"{_PUT} {_TEXT} <text> {_ON} <subject>(?: hinzu| ein| an)?"
                         rf"|{_PUT} (?:{_ON} )?<subject2> (?:um )?{_TEXT} <text2>(?: hinzu| ein| an)?"
                         rf"|{_TEXT} <text3> {_ON} <subject3> (?:hinzufügen|einfügen|ergänzen|schreiben)"),
        rule("add_text", rf"{_PUT} <text> {_ON} <subject>(?: hinzu| ein| an)?"),
        rule("delete", rf"{_DELETE} <subject>|<subject2> (?:löschen|loeschen|entfernen)"),
        rule("unsupported", r"(?:verschieb|lad|hochlad|stell|hol|wiederherstell|mach.* rückgängig|send|schick|häng|leite)\w*\b.*"
                            r"|.+ (?:verschieben|hochladen|wiederherstellen|rückgängig machen|senden|schicken)"),
    ),
    lead=compiled(
        r"\s*(?:bitte|nun|jetzt|dann|danach|anschließend|auch|zuerst|zunächst|noch|außerdem|und|aber|ok|okay|hallo|ja|also"
        r"|(?:kannst|könntest|würdest|kannst) du(?: mir)?|(?:können|könnten|würden) sie(?: mir)?|du sollst|sie sollen"
        r"|ich (?:möchte|will|würde gerne?|hätte gern))(?=[\s,]|$)[\s,]*"
    ),
    trail=compiled(r"[\s,]*(?:\bbitte|\bdanke|\bfür mich|\bauch|[.!?:;,])\s*$"),
    connector=compiled(
        r"\s*[,;]\s*(?:(?:und dann|und|dann|danach|anschließend|aber|sowie)\s+)?"
        r"|\s+(?:und dann|und danach|und|dann|danach|anschließend|aber|sowie|oder)\s+"
    ),
    starts=compiled(
        rf"(?:(?:bitte|nun|jetzt|dann|danach|anschließend|auch|noch)\s+)*(?:(?:{_VERBS})(?:en|e|t|st|n|)\b|nicht\b|niemals\b|was\b)"
    ),
    ends=compiled(rf".*\b{_ENDS}(?: bitte)?[\s.!?]*"),
    negation=compiled(r"\b(?:nicht|kein\w*|nie|niemals|ohne|außer|statt|anstatt|sondern)\b"),
    question=compiled(
        r"(?:warum|wieso|weshalb|wann|wer|wessen|hast|hat|haben|ist|sind|war|waren|wurde|wurden|wird|soll|sollen|sollte"
        r"|muss|darf|wenn|falls|wie|wo|was|welche\w*|ob)\b"
    ),
    bare_verbs=(
        ("copy", compiled(rf"{_COPY}|kopieren|duplizieren")),
        ("translate", compiled(rf"{_TRANSLATE}|übersetzen")),
        ("hide", compiled(rf"{_v('versteck', 'verberg')}|verbirg|ausblenden|verstecken")),
        ("unhide", compiled(rf"{_v('veröffentlich')}|einblenden|veröffentlichen")),
        ("delete", compiled(rf"{_DELETE}|löschen|entfernen")),
        ("show", compiled(rf"{_v('zeig', 'öffn')}|anzeigen")),
    ),
    with_subpages=compiled(
        r"\s*,?\s+(?:zusammen )?(?:mit|samt|inklusive|inkl\.?|einschließlich|und)(?: (?:ihren|ihrer|ihre|allen|aller|alle|den|der"
        r"|deren|seinen|die|sämtlichen))* (?:unterseiten?|seiten darunter|untergeordneten seiten)\b"
    ),
    without_subpages=compiled(
        r"\s*,?\s+(?:ohne|aber nicht|nicht|aber ohne)(?: (?:ihre|die|deren|seine))* (?:unterseiten?|seiten darunter)\b"
    ),
    heading=compiled(
        rf"\s+(?:mit|unter)(?: der| einer| dem)? (?:überschrift|titel|zwischenüberschrift) {TOKEN % 'heading'}(?: und)?"
    ),
    pointers={
        "last": compiled(r"sie|es|ihn|ihr|ihm|diese|dieses|diese seite|dieser seite|die seite|der seite|dieselbe|das"),
        "new": compiled(r"(?:die|der) (?:neue |neuen )?kopie|(?:die|der) (?:neue|neuen|kopierte|kopierten)(?: seite)?"),
        "old": compiled(r"(?:die|das|der) (?:alte|alten|ältere|bisherige|vorherige)(?: seite| version)?|das original|die originalseite"),
    },
    reference=_REFERENCE,
    bare_reference=_BARE,
    element_noun=compiled(r"(?:inhalts)?(?:elemente?n?s?|blöcke?n?|block(?:s|es)?)"),
    file_noun=compiled(r"datei(?:en)?"),
    temporary=compiled(r"\bvorübergehende?\b"),
    fields={
        "titel": "title", "name": "title", "namen": "title", "untertitel": "subtitle", "beschreibung": "description",
        "stichwörter": "keywords", "schlüsselwörter": "keywords", "schlagwörter": "keywords", "stichwörtern": "keywords",
        "navigationstitel": "nav_title", "menütitel": "nav_title",
    },
)  # fmt: skip
