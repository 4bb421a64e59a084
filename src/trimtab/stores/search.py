"""The turns of a scope that rank highest by BM25, without reading most of what shares a word with the query.

SQLite's own `bm25()` counts documents over the whole file: a session's ranking would change with, and slow down
by, other sessions and tenants. Here a list of row numbers is read by term and stretch (index.py), rarest term
first. Once what the unread terms could still add is less than what the last of the best has, no turn can come in
that was not seen: only those that were seen and could still be among the best are scored by their stored terms
(Turtle and Flood's MaxScore). The result is exact.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from heapq import heappush, heapreplace, nlargest
from itertools import pairwise
from math import log

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from trimtab.stores.counts import ListCounts
from trimtab.stores.index import CLASSES, KIND, MOST_LENGTH, ROLE, class_terms, doc_of, filter_term
from trimtab.stores.scopes import Lanes
from trimtab.stores.turns import Sieve, docs_in_time, terms_of_docs
from trimtab.stores.values import Candidate, Filter, WordMatches

# the values that Lucene and SQLite use
_K1 = 1.2
_B = 0.75

# In a scope of so few turns the lists are read at once instead of counted first.
_READ_ROWS = 2_000
# Scoring a turn by its stored terms costs about as much as reading so many rows of a list (measured).
_ROWS_A_RESCORE = 30
# Where a filter is left to be asked, so many turns for each that is wanted are looked up, and if they do not do, so many.
_LOOKED_UP = (4, 16, 64)
# Turns that are looked up at a time.
_CHUNK = 128
# Rows within a filter's time that are worth collecting before the lists are read.
_MOST_TIMED = 50_000


_decode_places = msgspec.json.Decoder(list[int]).decode


class _Weights(dict[int, float]):
    """BM25's part of a term by the turn's length, for a class of times it occurs; of infinitely many times for 0."""

    def __init__(self, times: int, mean_length: float) -> None:
        super().__init__()
        self.times, self._mean_length = times, mean_length

    def __missing__(self, length: int) -> float:
        self[length] = found = _weight(self.times, length, self._mean_length) if self.times else _K1 + 1
        return found


def _weight(times: int, length: int, mean_length: float) -> float:
    return times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / mean_length))


@lru_cache(maxsize=16)
def _weights(mean_length: float) -> tuple[tuple[_Weights, _Weights], ...]:
    """(least, most) weights for each of `CLASSES`."""
    return tuple((_Weights(fewest, mean_length), _Weights(most, mean_length)) for fewest, most in CLASSES)


class _Term(Struct):
    """A term of the query. `idf` and what it can add at most are the scope's."""

    text: str
    indexed: tuple[str, ...]
    doc_count: int
    idf: float
    lists: list[list[int]]  # of each class, where they are read already

    @property
    def most(self) -> float:
        return self.idf * (_K1 + 1)


def search(db: sqlite3.Connection, lanes: Lanes, counts: ListCounts, terms: Sequence[str], limit: int, where: Filter) -> WordMatches:
    """See `Store.search`."""
    turn_count = lanes.turn_count
    mean_length = lanes.term_count / turn_count if turn_count else 0.0
    # what is no single word was never indexed
    asked = sorted({term for term in terms if term.split() == [term]})
    if not asked or not mean_length:
        return WordMatches([], turn_count, mean_length, 0.0)
    sifted = bool(where.since_ms or where.until_ms or _also(lanes.project_no, where))
    known = [term for text in asked if (term := _term(db, lanes, counts, text, sifted)).doc_count]
    known.sort(key=lambda term: (term.doc_count, term.text))
    ceiling = sum(term.most for term in known)
    rows = _Run(db, lanes, known, where, mean_length).best(limit) if known and limit > 0 else []
    return WordMatches(rows, turn_count, mean_length, ceiling, {term.text: term.idf for term in known})


def _term(db: sqlite3.Connection, lanes: Lanes, counts: ListCounts, text: str, sifted: bool) -> _Term:
    indexed = class_terms(lanes.project_no, text)
    lists: list[list[int]] = []
    if lanes.turn_count <= _READ_ROWS and not sifted:
        lists = [_places(db, lanes, f'"{each}"') for each in indexed]
        doc_count = sum(map(len, lists))
    else:
        doc_count = sum(counts.count(db, lanes, each) for each in indexed)
    # a remembered count may be a little too high
    doc_count = min(doc_count, lanes.turn_count)
    return _Term(text, indexed, doc_count, log(1 + (lanes.turn_count - doc_count + 0.5) / (doc_count + 0.5)), lists)


def _places(db: sqlite3.Connection, lanes: Lanes, match: str) -> list[int]:
    # as one JSON value: half the time of a row each (measured)
    sql = "SELECT json_group_array(rowid) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"
    found: list[int] = []
    for span in lanes.spans:
        found += _decode_places(db.execute(sql, (match, *span)).fetchone()[0])
    return found


class _Run:
    """One search: what was read so far, and what the seen turns have at least."""

    def __init__(self, db: sqlite3.Connection, lanes: Lanes, terms: list[_Term], where: Filter, mean_length: float) -> None:
        self._db, self._terms, self._mean_length = db, terms, mean_length
        self._lanes = lanes
        self._also = _also(lanes.project_no, where)
        self._timed = docs_in_time(db, lanes, where, _MOST_TIMED) if where.since_ms or where.until_ms else None
        # what the lists have sifted is not asked again
        left = Filter(before_seq=where.before_seq, lane=where.lane)
        self._sieve = Sieve(lanes, left if self._timed is not None else replace(left, since_ms=where.since_ms, until_ms=where.until_ms))
        self._read_most = 0.0  # what the terms that were read can add
        self._is_closed = False
        # by row number: the least score, and how much more it may be where the list does not tell
        self._least: dict[int, float] = {}
        self._slack: dict[int, float] = {}
        # by row number: the rows that were looked up, None for one that does not pass; those scored exactly
        self._rows: dict[int, Candidate | None] = {}
        self._scores: dict[int, float] = {}

    def best(self, limit: int) -> list[Candidate]:
        rests = [0.0]
        for term in reversed(self._terms):
            rests.append(rests[-1] + term.most)
        rests = rests[-2::-1]  # what the terms after each can add
        sizes = [term.doc_count for term in self._terms[1:]] + [0]
        for term, rest, next_size in zip(self._terms, rests, sizes, strict=True):
            self._read(term)
            found = self._settle(limit, rest, next_size)
            if found is not None:
                return found
        raise AssertionError("with nothing left to read a search is settled")

    def _read(self, term: _Term) -> None:
        least, slack, idf = self._least, self._slack, term.idf
        self._read_most += term.most
        lists = term.lists or map(self._list, term.indexed)
        for places, (low, high) in zip(lists, _weights(self._mean_length), strict=True):
            same, got = low.times == high.times, least.get
            for place in least.keys() & places if self._is_closed else places:
                length = place & MOST_LENGTH
                if same and length != MOST_LENGTH:
                    least[place] = got(place, 0.0) + idf * low[length]
                    continue
                # a row of MOST_LENGTH may be longer, and have less
                added = idf * low[length] if length != MOST_LENGTH else 0.0
                least[place] = least.get(place, 0.0) + added
                slack[place] = slack.get(place, 0.0) + idf * high[length] - added

    def _list(self, indexed: str) -> list[int]:
        found = _places(self._db, self._lanes, f'"{indexed}"{self._also}')
        if self._timed is None:
            return found
        return [place for place in found if doc_of(place) in self._timed]

    def _settle(self, limit: int, rest: float, next_size: int) -> list[Candidate] | None:
        """The best, unless a turn that was not seen may be among them, or reading on is cheaper than to find out.

        Args:
            rest: what the unread terms can add.
            next_size: rows in the next list; 0 where all are read.
        """
        least, slack = self._least, self._slack
        if rest and len(least) < limit:
            return None
        if rest > self._read_most:
            return None
        bar = self._bar(limit)
        if rest > bar:
            return None
        # no turn can come in any more; of those that were seen, these may still be among the best
        pool = [(score + slack.get(place, 0.0), place) for place, score in least.items() if score + rest >= bar]
        pool += [(most, place) for place, more in slack.items() if least[place] + rest < bar <= (most := least[place] + more) + rest]
        if rest and (len(pool) - limit) * _ROWS_A_RESCORE > next_size:
            self._least = {place: least[place] for _, place in pool}
            self._slack = {place: slack[place] for _, place in pool if place in slack}
            self._is_closed = True
            return None
        pool.sort(key=lambda row: (row[0], doc_of(row[1])), reverse=True)
        return self._rank(pool, limit, rest)

    def _bar(self, limit: int) -> float:
        """What the last of the best has at least, as far as is known; 0 for not enough turns."""
        # what does not pass a filter says nothing of what is wanted
        known = nlargest(limit, self._least.values()) if self._sieve.lets_all_pass else self._passing(limit)
        return known[-1] if len(known) == limit else 0.0

    def _passing(self, limit: int) -> list[float]:
        """What the best that pass the filter have at least; fewer than `limit` where they are not soon found."""
        known: list[float] = []
        for most in _LOOKED_UP:
            top = nlargest(limit * most, self._least, key=self._least.__getitem__)
            self._look_up(top)
            known = [self._least[place] for place in top if self._rows[place] is not None][:limit]
            if len(known) == limit or len(top) == len(self._least):
                break
        return known

    def _rank(self, pool: list[tuple[float, int]], limit: int, rest: float) -> list[Candidate] | None:
        heap: list[tuple[float, int, int]] = []
        starts = [*range(0, len(pool), _CHUNK), len(pool)]
        for start, end in pairwise(starts):
            if len(heap) == limit and pool[start][0] + rest <= heap[0][0]:
                break
            chunk = [place for _, place in pool[start:end]]
            self._look_up(chunk)
            self._score_all(chunk, rest)
            for place in chunk:
                if self._rows[place] is None:
                    continue
                entry = self._scores[place], doc_of(place), place
                if len(heap) < limit:
                    heappush(heap, entry)
                elif entry > heap[0]:
                    heapreplace(heap, entry)
        if rest and (len(heap) < limit or heap[0][0] < rest):
            return None
        rows = ((self._rows[place], score) for score, _, place in sorted(heap, reverse=True))
        return [replace(row, words=score) for row, score in rows if row is not None]

    def _look_up(self, places: Sequence[int]) -> None:
        new = [place for place in places if place not in self._rows]
        found = self._sieve.candidates(self._db, [doc_of(place) for place in new])
        for place in new:
            self._rows[place] = found.get(doc_of(place))

    def _score_all(self, places: Sequence[int], rest: float) -> None:
        unscored = [place for place in places if place not in self._scores and self._rows[place] is not None]
        by_terms = [place for place in unscored if rest or place in self._slack]
        stored = terms_of_docs(self._db, [doc_of(place) for place in by_terms]) if by_terms else {}
        for place in by_terms:
            self._scores[place] = self._score(stored[doc_of(place)])
        if not rest:
            self._scores.update((place, self._least[place]) for place in unscored if place not in self._scores)

    def _score(self, terms: list[str]) -> float:
        # in the order in which the lists are read: sums of floats depend on it
        score, count = 0.0, Counter(terms)
        for term in self._terms:
            if times := count.get(term.text):
                score += term.idf * _weight(times, len(terms), self._mean_length)
        return score


def _also(project_no: int, where: Filter) -> str:
    """What a list is intersected with, so that only turns of these roles, kinds and tags are in it."""
    kinds = [(ROLE, where.roles), (KIND, where.kinds), *where.tags.items()]
    return "".join(
        " AND (" + " OR ".join(f'"{filter_term(project_no, kind, value)}"' for value in values) + ")" for kind, values in kinds if values
    )
