"""A session's way to the documents of its project."""

from __future__ import annotations

from trimtab.session.base import SessionBase
from trimtab.session.library import Library


class LibraryPart(SessionBase):
    """library."""

    _library: Library | None = None

    @property
    def library(self) -> Library:
        """The documents of this session's project, which all its sessions have in common."""
        with self._open_lock():
            if self._library is None:
                self._library = Library(self._store, self._key.tenant_id, self._key.project_id, self._searcher)
            return self._library
