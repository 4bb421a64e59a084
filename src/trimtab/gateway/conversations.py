"""Where a request belongs: its tenant, its conversation and its lane, with what decided it."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from trimtab.core.ids import Hasher
from trimtab.core.messages import Message
from trimtab.gateway.claims import Claim, Rung
from trimtab.gateway.lanes import lane_of
from trimtab.gateway.lineages import Lineages, Outcome, Step, steps_of
from trimtab.gateway.tenants import tenant_of
from trimtab.stores import LaneKey

PROJECT = "gateway"
MOST_BUCKETS, MOST_REPLIES = 2_000, 50_000
_NAME_BYTES = 8


class Placed(Struct, frozen=True, kw_only=True):
    """Attributes: where it belongs; what decided it (`lineage` beside the rungs of a claim); whether it goes on with what is known."""

    key: LaneKey
    rung: Rung | str
    outcome: Outcome
    bucket: str
    chain: tuple[Step, ...]


class Conversations:
    """Places requests, and remembers what was said where. Kept in memory; a conversation with an id is found without it."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._buckets: OrderedDict[str, Lineages] = OrderedDict()
        # by tenant and reply: where it was given
        self._replies: OrderedDict[tuple[str, str], LaneKey] = OrderedDict()

    def place(self, claim: Claim, headers: Mapping[str, str], body: Mapping[str, Any], messages: Sequence[Message]) -> Placed:
        """Args: `messages` of the request, without the client's instructions."""
        tenant, lane = tenant_of(headers, self._secret), lane_of(claim, body)
        chain = tuple(steps_of(messages, Hasher.for_tenant(tenant)))
        bucket = "\n".join((tenant, _user_of(body), lane))
        if claim.session_id:
            key = LaneKey(tenant, PROJECT, f"{claim.rung}:{claim.session_id}", lane)
            return Placed(key=key, rung=claim.rung, outcome="continued", bucket=bucket, chain=chain)
        known = self._replies.get((tenant, claim.previous)) if claim.previous else None
        if known is not None:
            return Placed(key=known, rung="previous", outcome="continued", bucket=bucket, chain=chain)
        found = self._lineages(bucket).resolve(chain)
        name = found.name or secrets.token_hex(_NAME_BYTES)
        rung = "lineage" if found.name else "none"
        return Placed(key=LaneKey(tenant, PROJECT, name, lane), rung=rung, outcome=found.outcome, bucket=bucket, chain=chain)

    def said(self, placed: Placed, replies: Sequence[Message], messages: Sequence[Message], reply_id: str = "") -> None:
        """The request was answered. Args: `replies` of the model; `messages` of the request; `reply_id` as the upstream gave it."""
        tenant = placed.key.tenant_id
        chain = steps_of([*messages, *replies], Hasher.for_tenant(tenant))
        if placed.rung in ("lineage", "none"):
            self._lineages(placed.bucket).keep(placed.key.session_id, chain)
        if reply_id:
            self._replies[tenant, reply_id] = placed.key
            while len(self._replies) > MOST_REPLIES:
                self._replies.popitem(last=False)

    def _lineages(self, bucket: str) -> Lineages:
        if bucket not in self._buckets:
            self._buckets[bucket] = Lineages()
        self._buckets.move_to_end(bucket)
        while len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return self._buckets[bucket]


def _user_of(body: Mapping[str, Any]) -> str:
    """Who the client says its user is: one user has many conversations, but none of another's."""
    metadata = body.get("metadata")
    said = (body.get("user"), body.get("safety_identifier"), metadata.get("user_id") if isinstance(metadata, Mapping) else None)
    return next((value for value in said if isinstance(value, str) and value.strip()), "")
