"""What an answer shows of something long: as much as fits, and how to get the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Count = Callable[[str], int]
# no vocabulary makes tokens that are longer than this on average, so a longer text need not be counted whole
_MOST_CHARS_PER_TOKEN = 12
# for the line that says where the rest is
POINTER_TOKENS = 60


def fit_text(text: str, max_tokens: int, count: Count, rest: Callable[[int], str]) -> str:
    """The text, or its beginning with a last line from `rest(characters shown)`; within `max_tokens`."""
    if len(text) <= max_tokens * _MOST_CHARS_PER_TOKEN and count(text) <= max_tokens:
        return text
    room = max(1, max_tokens - POINTER_TOKENS)
    chars = min(len(text), room * _MOST_CHARS_PER_TOKEN)
    while chars > 1 and (tokens := count(text[:chars])) > room:
        chars = max(1, min(chars - 1, int(chars * room / tokens)))
    chars = _at_border(text, chars)
    return f"{text[:chars]}\n[{rest(chars)}]"


def _at_border(text: str, chars: int) -> int:
    """A little earlier, where a line or a sentence ends near."""
    for mark in ("\n", "。", ". "):
        at = text.rfind(mark, chars - chars // 5, chars)
        if at > 0:
            return at + len(mark)
    return chars


def fit_lines(lines: Sequence[str], max_tokens: int, count: Count) -> int:
    """How many of the lines, from the first, fit; at least one where there is any."""
    room, shown = max_tokens - POINTER_TOKENS, 0
    for line in lines:
        room -= count(line) + 1 if len(line) <= max_tokens * _MOST_CHARS_PER_TOKEN else max_tokens
        if room < 0:
            break
        shown += 1
    return max(1, shown) if lines else 0


def rows_rest(first: int, last: int, total: int) -> str:
    """`rows 1..40 of 300; ask for rows [41, 80]`."""
    return f"rows {first}..{last} of {total:,}; ask for rows [{last + 1}, {min(total, 2 * last - first + 1)}]"


def chars_rest(first: int, shown: int, total: int) -> str:
    """`chars 0..5200 of 24,000; ask for chars [5200, 10400]`."""
    end = first + shown
    return f"chars {first}..{end} of {total:,}; ask for chars [{end}, {min(total, end + shown)}]"


def part_of(first: int, last: int, total: int) -> str:
    """For lists that have no second page."""
    return f"{last - first + 1} of {total:,} shown; ask for less to see others"


Rest = Callable[[int, int, int], str]


def page(lines: Sequence[str], rows: tuple[int, int] | None, max_tokens: int, count: Count, rest: Rest = rows_rest) -> str:
    """The asked lines of a list (`rows` are 1-based, both included), as many as fit; where some are left, a last line
    from `rest(first shown, last shown, total)`."""
    total = len(lines)
    if not total:
        return ""
    first, last = rows or (1, total)
    first, last = max(1, first), min(last, total)
    if first > total:
        return f"there are {total:,} rows; rows [{first}, {last}] are none of them"
    shown = fit_lines(lines[first - 1 : last], max_tokens, count)
    text = "\n".join(lines[first - 1 : first - 1 + shown])
    end = first + shown - 1
    if shown == 1 and count(text) > max_tokens:
        text = fit_text(text, max_tokens, count, lambda chars: f"row {first}, its first {chars:,} of {len(lines[first - 1]):,} characters")
    return text if end >= total else f"{text}\n[{rest(first, end, total)}]"
