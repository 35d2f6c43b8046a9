"""The frozen values the templates of files receive; everything in them was judged before."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.view_models import Words
from app.content.files import Uploaded
from app.core.i18n import Text, text

NOT_STORED = text("“%(name)s” was not stored. %(reason)s")


@dataclass(frozen=True, kw_only=True, slots=True)
class FolderLink:
    """A folder in a list or on the way to one."""

    name: Words
    url: str
    is_read_only: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageView:
    """A storage with the folders at which the person may begin."""

    title: str
    folders: tuple[FolderLink, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FileItem:
    """A file in a list."""

    uid: int
    name: str
    title: str
    kind: Text
    size: Text
    url: str
    thumbnail_url: str | None
    alternative_missing: bool
    is_missing: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class FolderView:
    """A folder with what lies in it."""

    storage_id: int
    path: str
    title: Words
    way: tuple[FolderLink, ...]
    folders: tuple[FolderLink, ...]
    files: tuple[FileItem, ...]
    count: int
    page: int
    pages: int
    pages_url: str
    may_add: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadOutcome:
    """What became of the files of a form, in their order, and what stood in the way of the form itself."""

    results: tuple[Uploaded, ...] = ()
    problem: Text | None = None

    @property
    def problems(self) -> list[tuple[str, Text]]:
        """For the error summary: the control and the sentence."""
        if self.problem is not None:
            return [("files", self.problem)]
        return [
            ("files", NOT_STORED.with_params(name=result.given, reason=result.problem))
            for result in self.results
            if result.problem is not None
        ]

    @property
    def stored(self) -> tuple[Uploaded, ...]:
        """Files that are there now."""
        return tuple(result for result in self.results if result.uid)


@dataclass(frozen=True, kw_only=True, slots=True)
class DescriptionView:
    """The description of a file in one language, as a form or to read."""

    language_id: int
    language: Words
    code: str
    seen: str
    title: str
    alternative: str
    description: str
    may_write: bool
    state: Text | None = None
    """What the draft workspace holds of it."""
    history_url: str | None = None
    problems: tuple[tuple[str, Text], ...] = ()
    """Field and sentence."""
    conflict: tuple[tuple[Text, str], ...] = ()
    """Label and words as stored now, when somebody else was faster."""

    @property
    def summary(self) -> list[tuple[str, Text]]:
        """For the error summary."""
        return [(f"{name}-{self.code}" if name else "", sentence) for name, sentence in self.problems]

    def error(self, name: str) -> Text | None:
        """The sentence beside a field."""
        return dict(self.problems).get(name)


@dataclass(frozen=True, kw_only=True, slots=True)
class UseView:
    """A record that uses a file."""

    title: Words
    kind: Text
    url: str
    language: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePageView:
    """A file with everything its reader may know of it."""

    uid: int
    name: str
    kind: Text
    size: Text
    sides: Text | None
    stored_at: int
    way: tuple[FolderLink, ...]
    workspace: Text
    is_draft: bool
    thumbnail_url: str | None
    preview_text: str
    content_url: str
    is_missing: bool
    alternative_missing: bool
    descriptions: tuple[DescriptionView, ...]
    uses: tuple[UseView, ...]
    further_uses: Text | None
    may_change: bool
    history_url: str
