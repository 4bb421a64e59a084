"""Bytes by content, from memory where they were seen lately, else from the store."""

from __future__ import annotations

from collections.abc import Iterable

from trimtab.core.entries import Node
from trimtab.core.messages import Message
from trimtab.core.plan import Segment
from trimtab.stores import Store
from trimtab.wire import wire_for
from trimtab.wire.common import decode

# what is kept in memory; older halves are forgotten together
MOST_BYTES = 32_000_000
MOST_MESSAGES = 4_000


class Bodies:
    """A reader of one tenant's bodies. Not shared between threads without the session's lock."""

    def __init__(self, store: Store, tenant_id: str) -> None:
        self._store, self._tenant_id = store, tenant_id
        self._bytes: dict[str, bytes] = {}
        self._size = 0
        self._messages: dict[str, Message] = {}
        self._message_bytes = 0

    def remember(self, body_id: str, payload: bytes) -> None:
        if body_id not in self._bytes:
            self._bytes[body_id] = payload
            self._size += len(payload)
            if self._size > MOST_BYTES:
                self._forget()

    def _forget(self) -> None:
        """Drop the older half; a single huge body stays."""
        for body_id in list(self._bytes)[: len(self._bytes) // 2]:
            self._size -= len(self._bytes.pop(body_id))

    def get(self, body_id: str) -> bytes:
        found = self._bytes.get(body_id)
        if found is None:
            found = self._store.bodies(self._tenant_id, (body_id,))[body_id]
            self.remember(body_id, found)
        return found

    def many(self, body_ids: Iterable[str]) -> dict[str, bytes]:
        """Bytes of all, with one read for those that are not in memory. Raises Erased, NotFound, CorruptEntry."""
        wanted = list(body_ids)
        found = {body_id: self._bytes[body_id] for body_id in wanted if body_id in self._bytes}
        missing = [body_id for body_id in wanted if body_id not in found]
        if missing:
            for body_id, payload in self._store.bodies(self._tenant_id, missing).items():
                self.remember(body_id, payload)
                found[body_id] = payload
        return found

    def payloads(self, segments: Iterable[Segment]) -> dict[str, bytes]:
        return self.many(dict.fromkeys(segment.segment_id for segment in segments))

    def message(self, node: Node) -> Message:
        """The stored message, parsed."""
        found = self._messages.get(node.body_id)
        if found is None:
            found = wire_for(node.wire).parse_message(decode(self.get(node.body_id)))
            self.keep_message(node.body_id, found)
        return found

    def keep_message(self, body_id: str, message: Message) -> None:
        if body_id not in self._messages:
            self._message_bytes += len(message.wire)
        self._messages[body_id] = message
        if len(self._messages) > MOST_MESSAGES or self._message_bytes > MOST_BYTES:
            for old in list(self._messages)[: max(1, len(self._messages) // 2)]:
                self._message_bytes -= len(self._messages.pop(old).wire)
