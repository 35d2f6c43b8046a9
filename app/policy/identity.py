"""Who acts: a person's rights as one value, resolved from the database at each use and never kept longer than a request (D11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LIVE = 0
GRANT_USE = "tasks_use"
GRANT_APPROVE = "agent_approve"
GRANT_AUDIT = "audit_read"


@dataclass(frozen=True, kw_only=True, slots=True)
class FileMount:
    """A folder of a storage a person may work in; ``folder`` starts and ends with a slash."""

    storage_id: int
    folder: str
    read_only: bool = False

    def contains(self, path: str) -> bool:
        """Whether the file or folder ``path`` lies in this mount: by components, so ``/press`` does not hold ``/press-archive``."""
        return path == self.folder.rstrip("/") or path.startswith(self.folder)


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """A person and their rights, all groups (nested ones too) united (cms.md sections 3 to 6 and 14)."""

    user_id: int
    username: str
    name: str
    """What others read: the person's full name."""
    is_admin: bool = False
    language: str = "en"
    """Language of the interface for this person."""
    timezone: str = "UTC"
    group_ids: tuple[int, ...] = ()
    """Resolved groups, a sub-group before the group that includes it."""
    main_group_id: int = 0
    """First main group: owner group of pages this person creates; 0 = none."""
    grants: frozenset[str] = frozenset()
    tables_select: frozenset[str] = frozenset()
    tables_modify: frozenset[str] = frozenset()
    field_grants: frozenset[str] = frozenset()
    """``table.field`` of fields that need a grant."""
    languages: frozenset[int] | None = None
    """Language ids this person may use; None = every language."""
    page_mounts: frozenset[int] = frozenset()
    file_mounts: tuple[FileMount, ...] = ()
    file_permissions: frozenset[str] = frozenset()
    """Of ``read_file``, ``write_file``, ``add_file``."""
    may_work_live: bool = False
    workspaces: Mapping[int, str] = field(default_factory=dict)
    """Existing draft workspaces this person may use, with their titles (administrators: every one)."""
    owned_workspaces: frozenset[int] = frozenset()
    """Those of ``workspaces`` this person owns, by themselves or through a group."""
    workspace_mounts: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Workspaces that narrow page mounts, with the pages they narrow to."""
    workspace_id: int | None = None
    """The workspace this person stands in; None = the stored one may not be used any more (nowhere)."""

    def may_select(self, table: str, *, admin_only: bool = False) -> bool:
        """Whether this person may read records of ``table``."""
        return self.is_admin or (not admin_only and table in self.tables_select | self.tables_modify)

    def may_modify(self, table: str, *, admin_only: bool = False) -> bool:
        """Whether this person may write records of ``table``."""
        return self.is_admin or (not admin_only and table in self.tables_modify)

    def may_use_field(self, table: str, name: str) -> bool:
        """Whether a field that needs a grant is granted."""
        return self.is_admin or f"{table}.{name}" in self.field_grants

    def may_use_language(self, language_id: int | None) -> bool:
        """Whether this person may access records of a language; -1 (every language) and None (no language) always pass."""
        return self.is_admin or self.languages is None or language_id in {None, -1} or language_id in self.languages

    def may_use_workspace(self, workspace_id: int) -> bool:
        """Whether this person may work in a workspace; live needs the live grant (D10); deleted ones serve nobody."""
        if workspace_id == LIVE:
            return self.is_admin or self.may_work_live
        return workspace_id in self.workspaces

    def owns_workspace(self, workspace_id: int) -> bool:
        """Whether this person looks after a draft workspace: administrators and its owners (cms.md section 9)."""
        return workspace_id in self.workspaces and (self.is_admin or workspace_id in self.owned_workspaces)

    def may_publish(self, workspace_id: int) -> bool:
        """Whether this person may publish from a draft workspace; rights on every record come on top (cms.md section 9)."""
        return workspace_id in self.workspaces and (self.owns_workspace(workspace_id) or self.may_work_live)

    def may(self, grant: str) -> bool:
        """Whether a grant of a group (or being an administrator) lets this person do something."""
        return self.is_admin or grant in self.grants

    def mounts_in(self, workspace_id: int) -> frozenset[int]:
        """Page mounts that count in a workspace: the person's own, narrowed where the workspace narrows them."""
        narrowed = self.workspace_mounts.get(workspace_id)
        return self.page_mounts if narrowed is None else narrowed
