"""Which headers travel on, in both directions. All that are not of one hop do, unknown ones too; lengths and encodings are made
anew, for what they tell of may be rewritten."""

from __future__ import annotations

from collections.abc import Iterable

from trimtab.gateway.claims import BRANCH_HEADER, SESSION_HEADER

# RFC 9110 section 7.6.1, and what older clients and servers take for such
_OF_ONE_HOP = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)
_MADE_ANEW = frozenset({"host", "content-length", "content-encoding", "accept-encoding", "expect"})
_OURS = frozenset({SESSION_HEADER, BRANCH_HEADER})
OUR_PREFIX = "x-trimtab-"


def sent_on(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of a request, as the upstream gets them: order and case are kept, ours and those of one hop are not.

    What a `Connection` header names is of one hop too.
    """
    rows = list(headers)
    left = _OF_ONE_HOP | _MADE_ANEW | _OURS | _named_by_connection(rows)
    return [(name, value) for name, value in rows if name.lower() not in left]


def sent_back(headers: Iterable[tuple[str, str]], own: Iterable[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """The headers of a reply, as the client gets them, with ours. An upstream's own `x-trimtab-` headers are not believed."""
    rows = list(headers)
    left = _OF_ONE_HOP | _MADE_ANEW | _named_by_connection(rows)
    return [*((name, value) for name, value in rows if name.lower() not in left and not name.lower().startswith(OUR_PREFIX)), *own]


def _named_by_connection(rows: Iterable[tuple[str, str]]) -> frozenset[str]:
    return frozenset(
        part.strip().lower() for name, value in rows if name.lower() == "connection" for part in value.split(",") if part.strip()
    )
