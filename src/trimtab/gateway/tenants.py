"""Whose a request is: a keyed hash of the client's API key. The key itself is never stored and never logged."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

_DIGEST_BYTES = 12
NO_KEY = "no-key"


def key_of(headers: Mapping[str, str]) -> str:
    """The API key of a request, "" for none. Args: `headers` with names in lower case."""
    direct = headers.get("x-api-key", "").strip() or headers.get("api-key", "").strip()
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    return direct or (token.strip() if scheme.lower() == "bearer" else "")


def tenant_of(headers: Mapping[str, str], secret: bytes) -> str:
    """Equal for equal keys under one secret, and nothing that a key could be guessed from without it.

    Args:
        secret: of this installation, 16 to 64 bytes.
    """
    key = key_of(headers)
    return f"k-{blake2b(key.encode('utf-8', 'surrogatepass'), key=secret, digest_size=_DIGEST_BYTES).hexdigest()}" if key else NO_KEY
