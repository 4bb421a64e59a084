"""What a sentence that lays something down does to the items: what it adds, and what it replaces, lifts or chooses.

The classifier sees the sentence alone. How it stands to what is active or was just offered counts as well: what plainly
gives an active item another value, or names one of the things offered, need look far less like a decision.
"""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.core.summary import Field, SummaryItem
from trimtab.distill.classify import Group, Label, Verdict, probabilities_of_groups
from trimtab.distill.found import Found, Part
from trimtab.distill.narration import agrees_to_unnamed
from trimtab.distill.resolve import (
    changed_item,
    choice_text,
    is_change,
    lifts,
    names_a_change,
    picked,
    restated_rule,
    superseded,
    turns_back,
)
from trimtab.distill.spelling import mended

# what a sentence must reach as a rule, decision or preference: where it orders a change of an active item by its old value
# or by word and value, by words alone, and where it says an active rule again with another value
_LEAST_OF_PLAIN_CHANGE, _LEAST_OF_CHANGE, _LEAST_OF_RESTATED = 0.1, 0.14, 0.12
# what names one of the things just offered must reach as a decision, and how long such a message may be
_BARE_CHARS, _LEAST_OF_BARE_PICK, _LEAST_OF_PICK, _LONGEST_ANSWER = 6, 0.04, 0.12, 200
STATED: frozenset[Group] = frozenset({"rule", "decision", "preference"})
_FIELD_OF: dict[Label, Field] = {
    "constraint": "constraint",
    "negative": "negative",
    "role": "role",
    "format": "format",
    "preference": "preference",
    "decision": "decision",
    "reversal": "decision",
}


def add_stated(found: Found, said: str, verdict: Verdict, part: Part, asks: bool) -> None:
    """Add what a sentence, or the clause `said` of it, lays down, and what it takes the place of."""
    field = _FIELD_OF[verdict.label]
    old = ""
    older, ours = found.candidates()
    if older:
        read = mended(said, older)
        old = _replaced(read, verdict, older, part.message)
        if not old and part.is_user and not asks:
            old = _changed(read, verdict, older)
    # what was said before this message is meant rather than what the same message says
    if ours and not old:
        old = _replaced(said, verdict, ours, part.message)
    if old and verdict.group == "preference":
        field = "decision"
    choice = choice_text(said, found.recent) or picked(said, found.recent) if field == "decision" and found.recent else ""
    found.add(field, said, old, choice)


def _replaced(said: str, verdict: Verdict, candidates: Sequence[SummaryItem], text: str) -> str:
    """The item that a stated sentence takes the place of, or ""."""
    field = _FIELD_OF[verdict.label]
    old = ""
    # what does not speak of a change changes nothing, however many words it shares with an older rule
    turns = verdict.label == "reversal" or turns_back(said)
    if turns or names_a_change(said):
        old = superseded(said, field, candidates, is_reversal=turns, context=text)
    elif field == "decision" and is_change(said):
        chosen = [item for item in candidates if item.field == "decision"]
        old = superseded(said, field, chosen, is_reversal=True, context=text)
    return old or lifts(said, candidates, context=text)


def _changed(said: str, verdict: Verdict, older: Sequence[SummaryItem]) -> str:
    """The item to which the sentence gives another value, whatever it looks like by itself, or ""."""
    standing = changed_item(said, older)
    if standing:
        return standing.item_id
    return restated_rule(said, older) if verdict.group == "rule" else ""


def takes_back(found: Found, sentence: str, masked: str, part: Part, asks: bool) -> bool:
    """Add a sentence that does not look like a rule or a decision by itself but changes or lifts one that is active."""
    older, ours = found.candidates()
    if not older:
        old = lifts(sentence, ours, context=part.message) if ours else ""
        found.add("decision", sentence if old else "", old)
        return bool(old)
    read = mended(sentence, older)
    old = lifts(read, older, context=part.message)
    if not old and part.is_user and not asks:
        standing = changed_item(read, older)
        if standing:
            least = _LEAST_OF_PLAIN_CHANGE if standing.plain else _LEAST_OF_CHANGE
            old = standing.item_id if _may_be_meant(masked, least) else ""
        else:
            again = restated_rule(read, older)
            old = again if again and _may_be_meant(masked, _LEAST_OF_RESTATED) else ""
    if old:
        found.add("decision", sentence, old)
    return bool(old)


def picks(found: Found, sentence: str, message: str, is_user: bool) -> bool:
    """Add a sentence that looks like nothing by itself but names one of the things that were offered just before."""
    # what is more than an answer tells of other things
    if not is_user or not found.recent or len(message) > _LONGEST_ANSWER:
        return False
    # "let's do it" names nothing by itself, and something after an offer
    assents = agrees_to_unnamed(sentence)
    choice = picked(sentence, found.recent) or (choice_text(sentence, found.recent) if assents else "")
    least = _LEAST_OF_BARE_PICK if len(sentence) <= _BARE_CHARS else _LEAST_OF_PICK
    if not choice or probabilities_of_groups(sentence, is_system=False).get("decision", 0.0) < least:
        return False
    found.add("decision", sentence, "", choice)
    return True


def _may_be_meant(masked: str, least: float) -> bool:
    likely = probabilities_of_groups(masked, is_system=False)
    return bool(likely) and likely["rule"] + likely["decision"] + likely["preference"] >= least
