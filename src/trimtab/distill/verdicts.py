"""Which side of an open conflict the user's own words take. Where that is not plain, the conflict stays open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.core.conflicts import Conflict, Keep
from trimtab.core.summary import SummaryItem
from trimtab.distill.aspects import aspects
from trimtab.distill.changes import is_supposed
from trimtab.distill.disagree import disagreements, gives_value
from trimtab.distill.sentences import sentences
from trimtab.distill.spans import user_spans
from trimtab.distill.subjects import covered, subject_of
from trimtab.distill.voices import mask

_MAX_CHARS, _MAX_SENTENCES, _MAX_SENTENCE_CHARS = 8_000, 40, 300
_DECISION = re.compile(
    r"\b(?:(?:the|my|our|that|this|your) (?:\w+ )?(?:decision|rule) (?:stands|holds|stays|remains|still (?:stands|holds))|(?:keep|stick (?:to|with)|stay with|go with|follow) "
    r"(?:the|my|our|what we|what i)[^.]{0,20}(?:decision|decided|agreed|rule)|as (?:we )?(?:decided|agreed)|(?:ignore|disregard|forget) (?:the|that) (?:fragment|document|doc|page|guide|manual|policy))\b"
    r"|(?:按|照|以|维持|坚持|保持)(?:我们|之前|原来|原先|先前|既定|已定)?的?(?:决定|规定|约定|原来的|之前的|原定的?)(?:办|来|执行|为准|不变)?|决定不变|(?:忽略|不用管|不管)(?:那个|这个|该)?(?:片段|文档|手册)",
    re.I,
)
_FRAGMENT = re.compile(
    r"\b(?:(?:go with|follow|use|take|trust|adopt) (?:the|that|this) (?:fragment|document|doc|page|guide|manual|policy)|the (?:fragment|document|doc|page|guide|manual|policy) (?:is right|wins|holds|applies))\b"
    r"|(?:按|照|以|听)(?:这个|那个|该)?(?:片段|文档|手册|资料)(?:的)?(?:来|为准|办|执行)?",
    re.I,
)
_STAYS = re.compile(
    r"\b(?:stays?|stick|keeps?|remains?|still|stands?|holds?|confirm\w*|unchanged|as before|correct|right)\b|维持|保持|仍|还是|不变|照旧|没错|就是|确认",
    re.I,
)
_ASKS = re.compile(r"[?？]\s*$|吗[。.]?$")
_TOLD = re.compile(r"\b(?:says?|said|claims?|according to|states?|reads?)\b|里?(?:说|写着|称|提到)", re.I)
_DENIED = re.compile(r"\b(?:not|never|no|don't|do not|isn't)\b|不(?!变)|别|没(?!错)", re.I)


def verdict(text: str, conflict: Conflict, *, alone: bool) -> Keep | None:
    """How the user's message settles a conflict, or None.

    Args:
        alone: whether this is the only open one, so that words that name neither side's subject can mean no other.
    """
    for sentence in _own_sentences(text):
        found = _of_sentence(sentence, conflict, alone)
        if found is not None:
            return found
    return None


def _own_sentences(text: str) -> Iterator[str]:
    count = 0
    for start, end in user_spans(text[:_MAX_CHARS]):
        part = mask(text[start:end])
        for first, last in sentences(part, 0, len(part)):
            count += 1
            if count > _MAX_SENTENCES:
                return
            sentence = part[first:last].replace("’", "'")
            if len(sentence) <= _MAX_SENTENCE_CHARS and not _ASKS.search(sentence) and not is_supposed(sentence):
                yield sentence


def _of_sentence(sentence: str, conflict: Conflict, alone: bool) -> Keep | None:
    named = conflict.conflict_id in sentence
    if named or alone:
        keeps = _DECISION.search(sentence) or (named and re.search(r"\bdecision\b|决定", sentence, re.I))
        takes = _FRAGMENT.search(sentence) or (named and re.search(r"\bfragment\b|片段", sentence, re.I))
        if keeps and not takes and conflict.kind == "value":
            return "decision"
        if takes and not keeps and not _DENIED.search(sentence):
            return "fragment"
    if _TOLD.search(sentence):
        return None
    if conflict.kind == "open_question":
        return _answered(sentence, conflict)
    return _valued(sentence, conflict, alone)


def _valued(sentence: str, conflict: Conflict, alone: bool) -> Keep | None:
    """By the value that it gives: the decision's again, or the fragment's in a sentence that speaks of the same thing."""
    ours = gives_value(sentence, conflict.item_text, conflict.text)
    theirs = gives_value(sentence, conflict.text, conflict.item_text)
    about = covered(subject_of(sentence), subject_of(conflict.item_text)).count >= 1
    if ours and not theirs and (about or (alone and _STAYS.search(sentence))):
        return None if _DENIED.search(sentence) and not _STAYS.search(sentence) else "decision"
    if theirs and not ours and not _DENIED.search(sentence) and not _STAYS.search(sentence):
        item = SummaryItem(conflict.item_id, "decision", conflict.item_text, ())
        return "fragment" if disagreements(sentence, [item]) else None
    return None


def _answered(sentence: str, conflict: Conflict) -> Keep | None:
    """An open question, by the choice that the fragment makes."""
    item = SummaryItem(conflict.item_id, "question", conflict.item_text, ())
    if not disagreements(sentence, [item]):
        return None
    here, there = aspects(sentence), aspects(conflict.text)
    same = any(here[aspect] & there.get(aspect, frozenset()) for aspect in here)
    return "fragment" if same else None
