"""Files: bytes by content on disk, records with rights by mount, folders, descriptions, where used, smaller pictures."""

from __future__ import annotations

from app.content.files.describing import DescriptionChanged, describe_file, version_of
from app.content.files.folders import Folder, create_folder, folder_or_404, list_mounted, list_subfolders, list_writable
from app.content.files.names import disposition
from app.content.files.pictures import RENDITION_MIME, is_picture, rendition
from app.content.files.reading import (
    FilePart,
    FileRecord,
    OpenFile,
    descriptions_of,
    find_file,
    list_files,
    open_file,
    read_file,
)
from app.content.files.storage import Storage, storage_of
from app.content.files.types import BY_MIME, KINDS, MOST_BYTES, MOST_FILES, FileKind, FileRefused, StorageFull
from app.content.files.uses import Use, Uses, find_uses
from app.content.files.writing import Upload, Uploaded, delete_file, rename_file, upload_files

__all__ = [
    "BY_MIME",
    "KINDS",
    "MOST_BYTES",
    "MOST_FILES",
    "RENDITION_MIME",
    "DescriptionChanged",
    "FileKind",
    "FilePart",
    "FileRecord",
    "FileRefused",
    "Folder",
    "OpenFile",
    "Storage",
    "StorageFull",
    "Upload",
    "Uploaded",
    "Use",
    "Uses",
    "create_folder",
    "delete_file",
    "describe_file",
    "descriptions_of",
    "disposition",
    "find_file",
    "find_uses",
    "folder_or_404",
    "is_picture",
    "list_files",
    "list_mounted",
    "list_subfolders",
    "list_writable",
    "open_file",
    "read_file",
    "rename_file",
    "rendition",
    "storage_of",
    "upload_files",
    "version_of",
]
