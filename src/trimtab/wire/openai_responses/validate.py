"""What the provider refuses in an item list, in its own words (rules R1 to R6 of the wire facts)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.errors import InvalidPrompt
from trimtab.wire.openai_responses.items import ANSWERS, CALLS, answer_key, answers, call_key, is_from_model, type_of

_NO_INPUT = "One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided."
_ID_PREFIXES: dict[str, str] = {"message": "msg", "reasoning": "rs"} | {p.call: p.id_prefix for p in CALLS.values() if p.id_prefix}


def validate(body: Mapping[str, Any]) -> None:
    """Raise InvalidPrompt for the first thing the provider would refuse. O(items)."""
    held_elsewhere = body.get("previous_response_id") or body.get("conversation")
    if body.get("previous_response_id") and body.get("conversation"):
        raise InvalidPrompt("R5", "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.", "previous_response_id")
    items = body.get("input")
    if not items:
        if held_elsewhere or body.get("prompt"):
            return
        raise InvalidPrompt("R0", _NO_INPUT, "input")
    if isinstance(items, str):
        return
    _check_shape(items)
    _check_ids(items)
    _check_pairs(items, all_here=not held_elsewhere)
    check_reasoning(items, {}, {})
    _check_trigger(items)


def _check_shape(items: Any) -> None:
    if not isinstance(items, Sequence):
        raise InvalidPrompt("R0", "Invalid type for 'input': expected a string or an array of input items.", "input")
    for index, item in enumerate(items):
        if not isinstance(item, Mapping) or not type_of(item):
            raise InvalidPrompt("R0", f"Invalid value for 'input[{index}]': expected an input item.", f"input[{index}]")


def _check_ids(items: Sequence[Mapping[str, Any]]) -> None:
    seen: set[str] = set()
    for index, item in enumerate(items):
        item_id, path = item.get("id"), f"input[{index}].id"
        if not isinstance(item_id, str):
            continue
        prefix = _ID_PREFIXES.get(type_of(item), "")
        if not item_id.startswith(prefix):
            raise InvalidPrompt("R3", f"Invalid '{path}': '{item_id}'. Expected an ID that begins with '{prefix}'.", path)
        if item_id in seen and prefix:
            raise InvalidPrompt(
                "R3", f"Duplicate item found with id {item_id}. Remove duplicate items from your input and try again.", path
            )
        seen.add(item_id)


def _words(item_type: str) -> str:
    return item_type.replace("_", " ")


def _check_pairs(items: Sequence[Mapping[str, Any]], *, all_here: bool) -> None:
    """Every call has its answer and every answer its call before it, of the kind that fits.

    A call id may come again once it was answered: some local models number their calls anew each time.
    """
    waiting: dict[str, tuple[str, int]] = {}
    answered: set[str] = set()
    for index, item in enumerate(items):
        kind = type_of(item)
        if kind in CALLS and call_key(item):
            if call_key(item) in waiting:
                raise InvalidPrompt("R1", f"Duplicate {_words(kind)} found for call_id {call_key(item)}.", f"input[{index}]")
            waiting[call_key(item)] = (kind, index)
        elif kind in ANSWERS and answer_key(item):
            _close(item, index, waiting, answered if all_here else None)
            answered.add(answer_key(item))
    for key, (kind, index) in waiting.items():
        if CALLS[kind].awaited and items[index].get("execution") != "server":
            raise InvalidPrompt("R1", f"No tool output found for {_words(kind)} {key}.", f"input[{index}]")


def _close(item: Mapping[str, Any], index: int, waiting: dict[str, tuple[str, int]], answered: set[str] | None) -> None:
    """Take the call that `item` answers off the list. `answered` is None where calls may be held elsewhere."""
    kind, key = type_of(item), answer_key(item)
    name = "approval_request_id" if kind == "mcp_approval_response" else "call_id"
    if key in waiting:
        if not answers(waiting[key][0], kind):
            raise InvalidPrompt("R1", f"No tool call found for {_words(kind)} with {name} {key}.", f"input[{index}]")
        del waiting[key]
    elif answered is not None:
        fault = "Duplicate {} found for {} {}." if key in answered else "No tool call found for {} with {} {}."
        raise InvalidPrompt("R1", fault.format(_words(kind), name, key), f"input[{index}]")


def check_reasoning(items: Sequence[Mapping[str, Any]], made_by: Mapping[str, str], led_to: Mapping[str, str]) -> None:
    """Raise InvalidPrompt where reasoning and what it led to have come apart (R2).

    Args:
        made_by: id of an item -> id of the reasoning it came after, as far as the provider remembers.
        led_to: id of a reasoning item -> id of the item that came directly after it.

    Both may be empty: then only reasoning with nothing of the model after it is found.
    """
    present: set[str] = set()
    for index, item in enumerate(items):
        kind, item_id = type_of(item), item.get("id") or ""
        if kind == "reasoning":
            present.add(item_id)
            _check_following(items, index, led_to.get(item_id, ""))
        needed = made_by.get(item_id, "") if item_id else ""
        if needed and needed not in present:
            message = f"Item '{item_id}' of type '{kind}' was provided without its required 'reasoning' item: '{needed}'."
            raise InvalidPrompt("R2", message, f"input[{index}]")


def _check_following(items: Sequence[Mapping[str, Any]], index: int, expected_id: str) -> None:
    after = next((item for item in items[index + 1 :] if type_of(item) != "reasoning"), None)
    follows = after is not None and is_from_model(after)
    after_id = after.get("id") if after is not None else None
    if follows and expected_id and after_id and after_id != expected_id:
        follows = False
    if not follows:
        item_id = items[index].get("id") or ""
        message = f"Item '{item_id}' of type 'reasoning' was provided without its required following item."
        raise InvalidPrompt("R2", message, f"input[{index}]")


def _check_trigger(items: Sequence[Mapping[str, Any]]) -> None:
    for index, item in enumerate(items[:-1]):
        if type_of(item) == "compaction_trigger":
            raise InvalidPrompt("R6", f"Invalid 'input[{index}]': 'compaction_trigger' must be the final input item.", f"input[{index}]")
