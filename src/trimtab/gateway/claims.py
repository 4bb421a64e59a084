"""Which conversation a request says it belongs to. A claim is not yet a session: below the header of ours it is believed only
where the history agrees.

First hit wins, and it is told which one it was:
our header or path, a tag in the system prompt, headers and fields of known clients, a reply of ours that it goes on from, fields
that callers may set. What says nothing of a conversation, as a user's id, is none: one user has many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from trimtab.gateway.bodies import HISTORY_KEYS, SYSTEM_KEYS, is_system, system_texts, texts_in

Rung: TypeAlias = Literal["header", "path", "tag", "client", "previous", "field", "none"]
SESSION_HEADER, BRANCH_HEADER = "x-trimtab-session", "x-trimtab-branch"
MOST_ID_CHARS = 200
_PATH = re.compile(r"/s/(?P<id>[^/?#]+)(?P<rest>/[^?#]*)")
# with its whole line where it stands alone on one
_TAG = re.compile(
    r"^[ \t]*\[\[trimtab-session:[ \t]*(?P<alone>[^\]\n]{1,200}?)[ \t]*\]\][ \t]*(?:\n|\Z)"
    r"|[ \t]*\[\[trimtab-session:[ \t]*(?P<within>[^\]\n]{1,200}?)[ \t]*\]\]",
    re.MULTILINE,
)
# by header, most telling first; a header of an agent below it says which lane
_CLIENT_HEADERS = (
    "x-claude-code-session-id",
    "thread-id",
    "session-id",
    "x-opencode-session",
    "x-session-id",
    "x-session-affinity",
    "x-openwebui-chat-id",
    "x-conversation-id",
    "x-chat-id",
    "helicone-session-id",
    "x-litellm-session-id",
)
_AGENT_HEADERS = ("x-claude-code-agent-id",)
_METADATA_KEYS = ("session_id", "thread_id", "conversation_id", "chat_id")
# an older form of Claude Code's metadata.user_id
_OLD_USER_ID = re.compile(r"user_[^_]+_account_.*?_session_(?P<id>[0-9a-fA-F-]{8,})\Z")


class Claim(Struct, frozen=True, kw_only=True):
    """What a request says of itself.

    Attributes:
        session_id: "" where it says nothing.
        rung: what said it.
        branch: of our header, "" for none.
        agent: a sub-agent below the session, "" for the agent itself.
        previous: the reply that it goes on from, "" for none.
    """

    session_id: str = ""
    rung: Rung = "none"
    branch: str = ""
    agent: str = ""
    previous: str = ""


def claim_of(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Claim:
    """Args: `path` as it was asked for, without the query; `headers` with names in lower case."""
    agent = next((headers[name].strip() for name in _AGENT_HEADERS if headers.get(name, "").strip()), "")
    branch, previous = headers.get(BRANCH_HEADER, "").strip(), _previous(body)
    found: tuple[tuple[Rung, str], ...] = (
        ("header", headers.get(SESSION_HEADER, "")),
        ("path", _in_path(path)),
        ("tag", _tag_in(system_texts(body))),
        ("client", next((headers[name] for name in _CLIENT_HEADERS if headers.get(name, "").strip()), "") or _in_user_id(body)),
        ("previous", previous),
        ("field", _in_fields(body)),
    )
    for rung, said in found:
        session_id = _clean(said)
        if session_id:
            return Claim(
                session_id="" if rung == "previous" else session_id,
                rung=rung,
                branch=_clean(branch),
                agent=_clean(agent),
                previous=previous,
            )
    return Claim(branch=_clean(branch), agent=_clean(agent), previous=previous)


def upstream_path(path: str) -> str:
    """The path without the part that names a session."""
    found = _PATH.fullmatch(path)
    return found["rest"] if found else path


def untagged(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body without the tag in its system text; the same object's parts where there is none."""
    made = dict(body)
    for key in SYSTEM_KEYS:
        if key in made:
            made[key] = _without_tag(made[key])
    for key in HISTORY_KEYS:
        rows = made.get(key)
        if isinstance(rows, list) and any(is_system(row) and _tag_in(texts_in(row.get("content"))) for row in rows):
            made[key] = [{**row, "content": _without_tag(row.get("content"))} if is_system(row) else row for row in rows]
    return made


# ---------------------------------------------------------------- where it is said


def _clean(said: str) -> str:
    said = said.strip()
    return said if said.isprintable() and len(said) <= MOST_ID_CHARS else ""


def _in_path(path: str) -> str:
    found = _PATH.fullmatch(path)
    return found["id"] if found else ""


def _tag_in(texts: Iterable[str]) -> str:
    found = next((found for text in texts if (found := _TAG.search(text)) is not None), None)
    return (found["alone"] or found["within"]) if found is not None else ""


def _without_tag(content: Any) -> Any:
    if isinstance(content, str):
        return _TAG.sub("", content)
    if not isinstance(content, list):
        return content
    made = [
        {**block, "text": _TAG.sub("", block["text"])} if isinstance(block, Mapping) and isinstance(block.get("text"), str) else block
        for block in content
    ]
    # a block that held nothing else would be an empty text, which no provider takes
    return [block for block, old in zip(made, content, strict=True) if block == old or block.get("text", "").strip()]


def _in_user_id(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    said = metadata.get("user_id") if isinstance(metadata, Mapping) else None
    if not isinstance(said, str):
        return ""
    if said.startswith("{"):
        try:
            inner = msgspec.json.decode(said)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return ""
        value = inner.get("session_id") if isinstance(inner, dict) else ""
        return value if isinstance(value, str) else ""
    found = _OLD_USER_ID.fullmatch(said)
    return found["id"] if found else ""


def _previous(body: Mapping[str, Any]) -> str:
    conversation, thread = body.get("conversation"), body.get("thread")
    said = (
        body.get("previous_response_id"),
        conversation.get("id") if isinstance(conversation, Mapping) else conversation,
        thread.get("previous_message_id") if isinstance(thread, Mapping) else None,
    )
    return next((_clean(value) for value in said if isinstance(value, str) and value.strip()), "")


def _in_fields(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    known = [metadata.get(key) for key in _METADATA_KEYS] if isinstance(metadata, Mapping) else []
    return next((value for value in (body.get("prompt_cache_key"), *known) if isinstance(value, str) and value.strip()), "")
