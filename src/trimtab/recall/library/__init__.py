"""Documents for the library: read, told by their structure, and cut into pieces that recall can find and show.

`read_document` takes bytes, text or a file and gives a `Document`. Nothing here reads the network, the clock or a
model. PDF needs the extra `documents`; everything else is in the base install.
"""

from __future__ import annotations

from trimtab.recall.library.document import Document, Piece
from trimtab.recall.library.reading import KINDS, read_document

__all__ = ["KINDS", "Document", "Piece", "read_document"]
