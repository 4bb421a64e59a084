"""Hears what passes by: the reply of an upstream, read beside its way to the client. It changes no byte and holds none back, and
whatever it cannot read the client still gets."""

from __future__ import annotations

from typing import Any

import msgspec

from trimtab.core.messages import WireName
from trimtab.errors import TrimtabError
from trimtab.wire import Reply, wire_for

# of one reply; more is passed on unread
MOST_HEARD_BYTES = 64 * 1024 * 1024
_DONE = b"[DONE]"


class Listener:
    """One reply, whole or as a stream of events. `problem` says why there is none to be had, "" for nothing."""

    def __init__(self, wire: WireName, *, is_stream: bool, status: int = 200) -> None:
        self.problem = "" if 200 <= status < 300 else f"the upstream answered with status {status}"
        self._wire, self._is_stream = wire, is_stream
        self._events: list[dict[str, Any]] = []
        self._whole = bytearray()
        self._rest = b""
        self._lines: list[bytes] = []
        self._heard = 0
        self._ended = False

    def hear(self, piece: bytes) -> None:
        """The next piece, as it came. Never raises."""
        if self.problem:
            return
        self._heard += len(piece)
        if self._heard > MOST_HEARD_BYTES:
            self._give_up(f"the reply is larger than {MOST_HEARD_BYTES:,} bytes")
        elif self._is_stream:
            self._hear_lines(piece)
        else:
            self._whole += piece

    def reply(self, *, broke_off: bool = False) -> Reply | None:
        """What was said; None where it was no reply, then `problem` says why. Args: `broke_off`: the upstream's or client's end came
        before the reply's."""
        if self.problem:
            return None
        try:
            if not self._is_stream:
                return wire_for(self._wire).parse_reply(msgspec.json.decode(bytes(self._whole), type=dict[str, Any]))
            self._hear_lines(b"\n\n")
            made = wire_for(self._wire).fold_stream(self._events)
        except (TrimtabError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            self._give_up(f"it cannot be read ({type(error).__name__}: {error})"[:300])
            return None
        return msgspec.structs.replace(made, status="aborted") if broke_off and made.status == "complete" else made

    def _hear_lines(self, piece: bytes) -> None:
        """Lines may end in LF, CR or both, and be cut anywhere, as the standard of server-sent events has it."""
        text = self._rest + piece
        # a CR at the very end may be the first half of CR LF
        held = b"\r" if text.endswith(b"\r") else b""
        *lines, rest = text.removesuffix(held).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = rest + held
        for line in lines:
            if line.startswith(b"data:"):
                self._lines.append(line[5:].removeprefix(b" "))
            elif not line and self._lines:
                payload, self._lines = b"\n".join(self._lines), []
                self._hear_event(payload)

    def _hear_event(self, payload: bytes) -> None:
        if payload == _DONE or self._ended:
            self._ended = True
            return
        try:
            event = msgspec.json.decode(payload)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            self._give_up("an event of it is not JSON")
            return
        if isinstance(event, dict):
            self._events.append(event)

    def _give_up(self, problem: str) -> None:
        self.problem = problem
        self._events, self._whole, self._lines, self._rest = [], bytearray(), [], b""
