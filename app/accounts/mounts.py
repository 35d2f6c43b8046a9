"""Mounts as they are stored and as they are written down: canonical JSON lists, folders between slashes (cms.md section 14)."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.canonical import dumps
from app.policy.identity import FileMount


def mount_on(storage_id: int, folder: str, *, read_only: bool = False) -> FileMount:
    """A mount on a folder as people write it, with or without slashes at its ends."""
    inner = "/".join(part for part in folder.split("/") if part)
    return FileMount(storage_id=storage_id, folder=f"/{inner}/" if inner else "/", read_only=read_only)


def encode_mounts(mounts: Iterable[FileMount]) -> str:
    """File mounts for their column."""
    return dumps(
        [
            {"storage": mount.storage_id, "folder": mount.folder, "read_only": mount.read_only}
            for mount in dict.fromkeys(mounts)
        ]
    )


def encode_numbers(numbers: Iterable[int]) -> str:
    """Page mounts or languages for their column."""
    return dumps(list(dict.fromkeys(numbers)))
