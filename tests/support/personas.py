"""The people of the demo in tests (style.md section 8)."""

from __future__ import annotations

from app.accounts.identities import find_identity
from app.core.db import reading
from app.policy.identity import Identity
from app.seed.demo import DemoSite


class IdentityOf:
    """``identity_of("anna")`` as the database knows her now, ``identity_of("anna", 0)`` standing in live."""

    def __init__(self, site: DemoSite) -> None:
        self._site = site

    def __call__(self, username: str, workspace_id: int | None = None) -> Identity:
        with reading() as connection:
            found = find_identity(connection, self._site.people.users[username], workspace_id=workspace_id)
        assert found is not None, username
        return found
