from __future__ import annotations

import pytest

from app.accounts.preferences import choose_workspace, open_browser_session, save_preferences
from app.accounts.sessions import find_signed_in
from app.config import Settings
from app.core.db import reading
from app.core.errors import NotFound
from app.seed.demo import DemoSite


def test_it_keeps_what_a_person_chose(site: DemoSite) -> None:
    anna = site.people.users["anna"]
    token = open_browser_session(anna, "Browser")
    save_preferences(anna, language="de", timezone="Europe/Vienna", theme="dark", enter_sends=True)
    with reading() as connection:
        found = find_signed_in(connection, token, Settings())
    assert found is not None
    assert (found.language, found.timezone, found.theme, found.enter_sends) == ("de", "Europe/Vienna", "dark", True)


def test_it_changes_nobody_else(site: DemoSite, identity_of) -> None:
    save_preferences(site.people.users["anna"], language="de")
    assert (identity_of("anna").language, identity_of("ben").language) == ("de", "en")


def test_it_lets_a_person_stand_in_a_workspace_of_theirs(site: DemoSite, identity_of) -> None:
    anna, spaces = site.people.users["anna"], site.people.workspaces
    choose_workspace(anna, spaces["Old draft"])
    assert identity_of("anna").workspace_id == spaces["Old draft"]
    with pytest.raises(NotFound):
        choose_workspace(anna, spaces["Campaign"])
