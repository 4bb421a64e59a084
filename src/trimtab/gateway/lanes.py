"""Which lane of a session a request is on: agents below one id, and requests of another purpose under the same id, are apart.

A lane is named by the sub-agent that the client names, by how its system text begins and by the family of its model. The rest
of a system text changes from request to request (dates, folders, lists of files) and names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from trimtab.gateway.bodies import system_texts
from trimtab.gateway.claims import Claim

_DIGEST_BYTES, _MOST_OPENING_CHARS = 8, 200
# blocks that clients put before the text itself, with a version or a bill in them
_BEFORE = re.compile(r"\A\s*(?:x-anthropic-billing-header:[^\n]*\n?|<(\w[\w-]*)>.*?</\1>\s*)+", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]+")
_SENTENCE = re.compile(r"[.!?。！？\n]")
# of a model's name: a version, a date, a size of it
_VERSION = re.compile(r"(?:^|[-_:@/])v?\d[\w.]*(?=$|[-_:@/])")


def lane_of(claim: Claim, body: Mapping[str, Any]) -> str:
    """A short name, equal for requests of one lane."""
    said = "\n".join((claim.agent, opening_of(body), family_of(str(body.get("model") or ""))))
    digest = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    return f"lane-{digest}"


def opening_of(body: Mapping[str, Any]) -> str:
    """The first sentence of the system text, its letters only; "" where there is no system text."""
    for text in system_texts(body):
        bare = _BEFORE.sub("", text).strip()
        if bare:
            first = next((part for part in _SENTENCE.split(bare) if part.strip()), "")
            return " ".join(_LETTERS.findall(first[:_MOST_OPENING_CHARS].casefold()))
    return ""


def family_of(model: str) -> str:
    """The model's name without versions, dates and who routes it: "anthropic/claude-sonnet-4-5-20250929" is "claude-sonnet"."""
    bare = model.rpartition("/")[2].casefold()
    previous = ""
    while bare != previous:
        previous, bare = bare, _VERSION.sub("", bare)
    return bare.strip("-_.:@")
