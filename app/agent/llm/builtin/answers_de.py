"""Was der eingebaute Assistent auf Deutsch sagt. Kein Satz behauptet, ein Ergebnis sei lückenlos."""

from __future__ import annotations

GERMAN_ANSWERS: dict[str, str] = {
    "quote": "„%(text)s“",
    "page": "die Seite %(title)s (Nr. %(uid)s)",
    "page_untitled": "die Seite Nr. %(uid)s",
    "page_new": "die neue Seite",
    "no_open_language": "Für eine Übersetzung wurde keine weitere Sprache gemeldet, deshalb schlage ich dafür "
    "keinen Schritt vor.",
    "status_other": "mit dem Status %(status)s gemeldet.",
    "element": "das Inhaltselement %(title)s (Nr. %(uid)s)",
    "element_hit": "Inhaltselement %(title)s",
    "element_untitled": "das Inhaltselement Nr. %(uid)s",
    "file": "die Datei %(title)s (Nr. %(uid)s)",
    "file_hit": "Datei %(title)s",
    "file_untitled": "die Datei Nr. %(uid)s",
    "who": "Ich bin der eingebaute Assistent: feste Regeln, die ohne Netz und ohne Sprachmodell arbeiten. Ich bin "
    "ein Programm, "
    "kein Mensch. Ich lese, was Sie lesen dürfen, und schlage Schritte vor; geändert wird nichts, bevor ein Mensch "
    "zustimmt.",
    "cannot": "Ich schreibe keine eigenen Texte. Eine Übersetzung, die ich vorschlage, ist ein Entwurf mit dem "
    "Ausgangstext, "
    "gekennzeichnet mit „zu übersetzen“. Ich kann keine Dateien hochladen oder senden, keinen "
    "Arbeitsbereich veröffentlichen und nichts rückgängig machen; was live gelöscht wurde, kann ich "
    "wiederherstellen.",
    "examples": "Ich verstehe Bitten wie diese:\n"
    "- Suche „Öffnungszeiten“\n"
    "- Zeige die Seite „Kontakt“\n"
    "- Zeige den Seitenbaum\n"
    "- Welche Sprachen gibt es?\n"
    "- Kopiere die Seite „Anleitungen“ mit Unterseiten unter „Museum“\n"
    "- Übersetze Seite 42 ins Deutsche und blende die alte aus\n"
    "- Benenne die Seite „Kontakt“ in „Ansprechpartner“ um\n"
    "- Beschreibe die Seite „Kontakt“ als „So erreichen Sie uns“\n"
    "- Blende Seite 42 aus\n"
    "- Blende Seite 42 ein\n"
    "- Lösche die Seite „Altes“\n"
    "- Verschiebe die Seite „Kontakt“ unter „Museum“\n"
    "- Stelle die Seite „Altes“ wieder her\n"
    "- Leite /kontakt auf die Seite „Kontakt“ um\n"
    "- Setze den Alternativtext der Datei „ferry.png“ auf „Eine rote Fähre“\n"
    "- Hänge die Datei „ferry.png“ an das Inhaltselement 118 an\n"
    "- Lege eine Seite „Neues“ unter „Museum“ an\n"
    "- Füge den Text „Heute geschlossen.“ auf der Seite „Neues“ mit der Überschrift „Geschlossen“ hinzu",
    "hello": "Guten Tag. Ich bin der eingebaute Assistent. Fragen Sie „Was kannst du?“, um zu erfahren, was ich "
    "verstehe.",
    "thanks": "Gern geschehen.",
    "not_understood": "Das habe ich nicht verstanden, deshalb schlage ich nichts vor.",
    "part_unclear": "Diesen Teil habe ich nicht verstanden und lasse ihn aus: %(part)s",
    "part_excluded": "Das lasse ich, wie gewünscht, unberührt: %(part)s",
    "negation_unclear": "Ich kann nicht erkennen, was geschehen und was unterbleiben soll. Bitte schreiben Sie nur, "
    "was geschehen soll.",
    "unsupported": "Das kann ich nicht: %(part)s",
    "dropped": "Dann schlage ich nichts vor.",
    "too_long": "Ihre Nachricht ist länger, als ich lesen kann. Bitte senden Sie sie in kürzeren Nachrichten.",
    "no_reference": "Ich kann nicht erkennen, welche Seite Sie meinen. Bitte nennen Sie den Titel in "
    "Anführungszeichen oder die Nummer.",
    "no_parent": "Unter welcher Seite soll die neue Seite liegen? Zum Beispiel: Lege eine Seite „Neues“ unter "
    "„Museum“ an.",
    "no_title": "Wie soll die neue Seite heißen? Zum Beispiel: Lege eine Seite „Neues“ unter „Museum“ an.",
    "no_text": "Ich schreibe keine eigenen Texte. Bitte geben Sie mir den Wortlaut in Anführungszeichen.",
    "no_page_for_element": "Dafür braucht es eine Seite, kein Inhaltselement.",
    "none_found": "Ich habe keine Seite mit dem Titel %(title)s gefunden, die ich Ihnen zeigen darf.",
    "none_found_element": "Ich habe kein Inhaltselement mit dem Titel %(title)s gefunden, das ich Ihnen zeigen darf.",
    "none_found_file": "Ich habe keine Datei mit dem Namen %(title)s gefunden, die ich Ihnen zeigen darf.",
    "none_found_deleted": "Ich habe nichts Gelöschtes mit dem Titel %(title)s gefunden, was ich Ihnen zeigen darf.",
    "none_numbered_file": "Ich habe keine Datei mit der Nummer %(uid)s gefunden, die ich Ihnen zeigen darf.",
    "no_file": "Dafür braucht es eine Datei und zum Anhängen ein Inhaltselement.",
    "no_place": "Ich kann nicht erkennen, wohin es soll. Zum Beispiel: Verschiebe die Seite „Neues“ unter „Museum“.",
    "no_address": "Eine Adresse beginnt mit einem Schrägstrich und hat keine Leerzeichen, etwa /alte-seite. Das ist "
    "keine: %(text)s",
    "none_numbered": "Ich habe keine Seite mit der Nummer %(uid)s gefunden, die ich Ihnen zeigen darf.",
    "none_numbered_element": "Ich habe kein Inhaltselement mit der Nummer %(uid)s gefunden, das ich Ihnen zeigen darf.",
    "search_failed": "Die Suche nach %(title)s ist fehlgeschlagen: %(reason)s",
    "read_failed": "Nr. %(uid)s konnte ich nicht lesen: %(reason)s",
    "cannot_search": "Die Suche steht mir hier nicht zur Verfügung. Bitte nennen Sie mir die Nummer von %(title)s.",
    "several": "Ich habe mehrere Datensätze mit dem Titel %(title)s gefunden:",
    "similar": "Ich habe keinen Datensatz mit genau dem Titel %(title)s gefunden, aber ähnliche:",
    "several_old": "Ich habe zu %(title)s mehrere ältere Seiten gefunden:",
    "candidate": "- Nr. %(uid)s: %(title)s, Sprache %(language)s",
    "candidate_below": "- Nr. %(uid)s: %(title)s, unter %(parent)s, Sprache %(language)s",
    "hidden_mark": "%(line)s, ausgeblendet",
    "more_one": "%(n)s weiterer Treffer ist nicht aufgeführt.",
    "more_other": "%(n)s weitere Treffer sind nicht aufgeführt.",
    "which": "Welchen Datensatz meinen Sie? Bitte antworten Sie mit der Nummer.",
    "languages_line": "- %(code)s: %(title)s",
    "languages_intro": "Diese Sprachen wurden mir gemeldet:",
    "languages_failed": "Die Sprachen konnte ich nicht lesen: %(reason)s",
    "languages_missing": "Das Auflisten der Sprachen steht mir hier nicht zur Verfügung.",
    "language_choice": "Mögliche Sprachen für %(record)s:",
    "which_language": "In welche Sprache? Bitte antworten Sie mit ihrem Namen.",
    "no_language": "Ich kenne keine Sprache %(language)s dieser Website.",
    "already_translated": "Für %(record)s gibt es in der Sprache %(language)s schon eine Übersetzung: Nr. %(uid)s. "
    "Dafür schlage ich keinen Schritt vor.",
    "same_language": "Die Sprache %(language)s ist schon die Sprache des Datensatzes: %(record)s. Dafür schlage ich "
    "keinen Schritt vor.",
    "already_hidden": "Wie gemeldet, ist %(record)s schon ausgeblendet. Dafür schlage ich keinen Schritt vor.",
    "already_visible": "Wie gemeldet, ist %(record)s nicht ausgeblendet. Dafür schlage ich keinen Schritt vor.",
    "not_offered": "Das steht mir hier nicht zur Verfügung, deshalb schlage ich dafür keinen Schritt vor: %(step)s.",
    "bad_arguments": "Die Angaben passen nicht zu dem, was hier erlaubt ist, deshalb schlage ich dafür keinen "
    "Schritt vor: %(step)s.",
    "dependent": "Was auf einem Schritt ohne gemeldetes Ergebnis aufbaut, schlage ich nicht vor.",
    "later": "Sobald mir das Ergebnis die Nummer der neuen Seite nennt, schlage ich vor, was darauf aufbaut.",
    "no_new_number": "Das Ergebnis nannte keine Nummer einer neuen Seite, deshalb schlage ich nichts vor, was "
    "darauf aufbaut.",
    "propose_one": "Ich schlage %(n)s Schritt vor:",
    "propose_other": "Ich schlage %(n)s Schritte vor:",
    "step_line": "%(position)s. %(step)s",
    "translation_note": "Die Übersetzung übernimmt den Ausgangstext, gekennzeichnet mit „zu übersetzen“. Ich "
    "übersetze selbst nichts.",
    "step_copy": "Kopieren: %(record)s, künftig unter: %(target)s",
    "step_copy_subpages": "Mit Unterseiten kopieren: %(record)s, künftig unter: %(target)s",
    "step_copy_same": "Kopieren: %(record)s, künftig unter derselben Seite wie bisher",
    "step_copy_same_subpages": "Mit Unterseiten kopieren: %(record)s, künftig unter derselben Seite wie bisher",
    "step_translate": "Übersetzungsentwurf anlegen für %(record)s, Sprache %(language)s",
    "step_title": "Umbenennen: %(record)s, neuer Titel %(text)s",
    "step_metadata": "Ändern: %(record)s, %(field)s wird %(text)s",
    "step_hide": "Ausblenden: %(record)s",
    "step_unhide": "Wieder einblenden: %(record)s",
    "step_delete": "Löschen: %(record)s",
    "step_move": "Verschieben: %(record)s, künftig unter: %(target)s",
    "step_move_element": "Verschieben: %(record)s, künftig auf: %(target)s",
    "step_move_after": "Verschieben: %(record)s, künftig direkt hinter: %(target)s",
    "step_redirect": "Adresse %(address)s weiterleiten, Ziel: %(target)s",
    "step_redirect_temporary": "Adresse %(address)s vorübergehend weiterleiten, Ziel: %(target)s",
    "step_alternative": "Alternativtext ändern: %(record)s, künftig %(text)s",
    "step_alternative_language": "Alternativtext ändern: %(record)s, Sprache %(language)s, künftig %(text)s",
    "step_attach": "Anhängen: %(record)s, Ziel: %(target)s",
    "step_restore": "Wiederherstellen: %(record)s",
    "step_create": "Ausgeblendete Seite %(title)s anlegen, künftig unter: %(target)s",
    "step_add_text": "Ausgeblendeten Text %(text)s hinzufügen: %(record)s",
    "step_add_text_heading": "Ausgeblendeten Text %(text)s mit der Überschrift %(heading)s hinzufügen, Ziel: "
    "%(record)s",
    "field_title": "Titel",
    "field_subtitle": "Untertitel",
    "field_description": "Beschreibung",
    "field_keywords": "Stichwörter",
    "field_nav_title": "Navigationstitel",
    "field_header": "Überschrift",
    "field_body": "Text",
    "result": "- %(step)s: %(outcome)s",
    "reported_one": "Das wurde zu dem Schritt gemeldet:",
    "reported_other": "Das wurde zu den Schritten gemeldet:",
    "done": "als erledigt gemeldet.",
    "done_new": "als erledigt gemeldet. Neue Nummer: %(uid)s.",
    "unchanged": "als unverändert gemeldet.",
    "partial": "als nicht beendet gemeldet. Ein Teil kann geschrieben sein.",
    "failed_after_writing": "geschrieben, aber danach ist etwas fehlgeschlagen. Bitte prüfen Sie diesen Datensatz.",
    "refused": "von einer Regel zurückgewiesen. Es wurde keine Änderung gemeldet.",
    "refused_reason": "von einer Regel zurückgewiesen: %(reason)s",
    "declined": "von einem Menschen abgelehnt. Es wurde keine Änderung gemeldet.",
    "declined_reason": "von einem Menschen abgelehnt. Genannter Grund: %(reason)s",
    "not_carried_out": "nicht ausgeführt.",
    "not_carried_out_reason": "nicht ausgeführt: %(reason)s",
    "not_found": "nicht erledigt, weil der Datensatz nicht gefunden wurde.",
    "invalid_arguments": "nicht erledigt, weil die Angaben nicht angenommen wurden.",
    "invalid_arguments_reason": "nicht erledigt, weil die Angaben nicht angenommen wurden: %(reason)s",
    "failed": "fehlgeschlagen.",
    "failed_reason": "fehlgeschlagen: %(reason)s",
    "no_result": "dazu habe ich kein Ergebnis.",
    "noted": "%(outcome)s Hinweis: %(note)s",
    "reason_unknown": "ein Grund wurde nicht genannt",
    "found_one": "Die Suche nach %(query)s meldete %(n)s Datensatz:",
    "found_other": "Die Suche nach %(query)s meldete %(n)s Datensätze:",
    "found_none": "Ich habe nichts zu %(query)s gefunden, was ich Ihnen zeigen darf.",
    "tree_intro": "Diese Seiten wurden mir gemeldet:",
    "tree_line": "%(indent)s- %(title)s (Nr. %(uid)s)",
    "tree_empty": "Mir wurden keine Seiten gemeldet.",
    "tree_failed": "Den Seitenbaum konnte ich nicht lesen: %(reason)s",
    "show_intro": "Das wurde für %(record)s gemeldet:",
    "show_language": "- Sprache: %(language)s",
    "show_field": "- %(field)s: %(text)s",
    "show_element": "- Inhaltselement Nr. %(uid)s: %(title)s",
    "show_translation": "- Übersetzung in der Sprache %(language)s: Nr. %(uid)s",
    "show_hidden": "- Ausgeblendet",
    "cannot_read": "Das Lesen steht mir hier nicht zur Verfügung.",
}
