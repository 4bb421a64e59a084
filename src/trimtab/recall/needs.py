"""What is asked of recall, as a value: by a step, by an agent, or read from a question (`needs_questions.py`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.errors import BadNeed

KINDS = (
    "when", "how", "why", "which", "how_much", "who", "where", "decision", "result", "option", "done", "promise", "limit", "complaint",
    "any",
)  # fmt: skip
_ROLES = ("user", "assistant", "tool", "system")
_FORM = '{"words": "...", "entities": ["..."], "time_range": ["2026-03-01", "2026-04-01"], "kind": "when"}'


class Need(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A structured query. What is left out bounds nothing.

    Attributes:
        words: what turns are ranked by.
        entities: names, identifiers and quoted things that the answer should name.
        time_range: (since_ms, until_ms) of the turn, until exclusive; 0 for no bound. In JSON also dates or times
            in ISO 8601, UTC unless they say otherwise.
        kind: of information that is wanted, of KINDS; "" where it is not known.
        step: the step that declares the need.
        roles: who said it; of nobody where it may be anyone. A turn as stored opens with the user, so these are a wish,
            not a bound, where turns hold both sides.
        ordinal: the number of the option or answer meant, 1 for the first, -1 for the last; 0 for none.
        before: what had not yet happened ("before we switched to B": "B"); after: what had.
        recent: the question points back to what was just or last said.
        guessed: it was read from a question by code: its kind and entities count only as far as the turns show that they tell
            them apart, where declared ones count in full.

    Raises BadNeed: a kind or role that does not exist, a range that ends before it begins.
    """

    words: str = ""
    entities: tuple[str, ...] = ()
    time_range: tuple[int, int] | None = None
    kind: str = ""
    step: str = ""
    roles: tuple[str, ...] = ()
    ordinal: int = 0
    before: str = ""
    after: str = ""
    recent: bool = False
    guessed: bool = False

    def __post_init__(self) -> None:
        if self.kind and self.kind not in KINDS:
            raise BadNeed("kind", self.kind, f"use one of: {', '.join(KINDS)}, or leave it out")
        for role in self.roles:
            if role not in _ROLES:
                raise BadNeed("roles", role, f"use some of: {', '.join(_ROLES)}, or leave them out")
        if self.time_range is not None:
            since, until = self.time_range
            if since < 0 or until < 0 or (until and until <= since):
                raise BadNeed("time_range", list(self.time_range), "give [since, until] with since first; 0 is no bound")

    @classmethod
    def of(cls, asked: str | Need | Mapping[str, Any]) -> Need:
        """A need from itself, from a mapping, from JSON that holds an object, or from plain words.

        Raises BadNeed: a field that does not exist or is of another type, or a need that says nothing.
        """
        if isinstance(asked, Need):
            need = asked
        elif isinstance(asked, str):
            fields = _object(asked)
            need = cls(words=asked.strip()) if fields is None else _from_mapping(fields)
        elif isinstance(asked, Mapping):
            need = _from_mapping(asked)
        else:
            raise BadNeed("need", asked, f"pass words, a Need, or a mapping like {_FORM}")
        if not (need.words or need.entities or need.time_range or need.before or need.after):
            raise BadNeed("need", asked, "say at least words, entities or a time_range")
        return need


def _object(text: str) -> Mapping[str, Any] | None:
    """The object that a text is the JSON of; None where it is words."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _from_mapping(given: Mapping[str, Any]) -> Need:
    fields = dict(given)
    for name in ("entities", "roles"):
        if isinstance(fields.get(name), str):
            fields[name] = [fields[name]]
    bounds = fields.get("time_range")
    if isinstance(bounds, list | tuple):
        fields["time_range"] = [_moment(bound) for bound in bounds]
    try:
        return msgspec.convert(fields, Need)
    except msgspec.ValidationError as error:
        path = re.search(r"at `\$\.?([^`]*)`", str(error))
        unknown = re.search(r"unknown field `([^`]*)`", str(error))
        name = unknown.group(1) if unknown else path.group(1) if path else "need"
        value = fields.get(re.split(r"[.\[]", name)[0], given)
        advice = f"the fields are: {', '.join(Need.__struct_fields__)}" if unknown else str(error).split(" - at ")[0]
        raise BadNeed(name, value, f"{advice}; for example {_FORM}") from error


def _moment(bound: object) -> object:
    """Milliseconds of a bound that is written as a date or time; None is no bound, anything else stays for the check."""
    if bound is None:
        return 0
    if not isinstance(bound, str):
        return bound
    try:
        moment = datetime.fromisoformat(bound.strip())
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise BadNeed("time_range", bound, "give milliseconds since 1970, or a date such as 2026-03-01") from error
