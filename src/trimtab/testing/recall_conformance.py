"""What every `Store` must do for recall: words, filters, scopes, literals, vectors. Part of `StoreConformance`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trimtab.stores.protocol import Store
from trimtab.stores.values import Batch, Filter, LaneKey, Literals, Scope, Turn, lane_scope
from trimtab.testing.store_rows import LANE, OTHERS, entry, ids, ranked, turn, vector

PROJECT = Scope(LANE.tenant_id, LANE.project_id)


class RecallConformance:
    """Contracts that need one empty store."""

    def make_store(self) -> Store:
        """A new, empty store."""
        raise NotImplementedError

    @contextmanager
    def store(self) -> Iterator[Store]:
        store = self.make_store()
        try:
            yield store
        finally:
            store.close()

    def test_any_of_the_words_finds_and_more_of_them_rank_higher(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "red green"), turn(2, "red blue"), turn(3, "gray"), turn(4, "black")]), 0)
            assert ids(ranked(store, LANE, ["red", "blue"], 5)) == [2, 1]
            assert ids(ranked(store, LANE, ["red", "blue"], 1)) == [2]
            assert ids(ranked(store, LANE, ["blue", "red"], 5)) == [2, 1]
            assert ranked(store, LANE, [], 5) == []
            assert ranked(store, LANE, ["red"], 0) == []
            assert ranked(store, LANE, ["white"], 5) == []

    def test_rare_words_and_short_turns_rank_higher(self) -> None:
        with self.store() as store:
            turns = [turn(number, "common filler") for number in range(1, 9)]
            store.commit(LANE, Batch(turns=[*turns, turn(9, "rare filler"), turn(10, "long " * 40 + "target"), turn(11, "target")]), 0)
            assert ids(ranked(store, LANE, ["common", "rare"], 1)) == [9]
            assert ids(ranked(store, LANE, ["target"], 2)) == [11, 10]

    def test_a_hit_says_where_the_turn_is(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[Turn(3, 7, 9, 1_234, "assistant", "word", {"entities": ["CT-88213"]}, (7, 9))]), 0)
            (hit,) = ranked(store, LANE, ["word"], 5)
            assert (hit.turn_id, hit.first_seq, hit.last_seq, hit.at_ms, hit.role) == (3, 7, 9, 1_234, "assistant")
            assert hit.tags == {"entities": ["CT-88213"]}
            assert hit.words > 0

    def test_only_turns_that_end_before(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "word", last_seq=4), turn(2, "word", last_seq=8)]), 0)
            assert ids(ranked(store, LANE, ["word"], 5, Filter(before_seq=8, lane=LANE))) == [1]
            assert ids(ranked(store, LANE, ["word"], 5, Filter(before_seq=9, lane=LANE))) == [2, 1]
            assert ranked(store, LANE, ["word"], 5, Filter(before_seq=4, lane=LANE)) == []

    def test_terms_are_matched_whole_and_literally(self) -> None:
        odd = ["ct-88213", "a_b.c/d", "a.b+c@x.io", "看板", "c++", "*", '"', "'", "AND", "near(", "col:x", "^a", "-", "(", "Ct-88213", "é"]
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(number, term) for number, term in enumerate(odd, start=1)]), 0)
            for number, term in enumerate(odd, start=1):
                assert ids(ranked(store, LANE, [term], 99)) == [number], term
            for term in ("ct", "88213", "看", "板", "a_b", "x.io", "e", "and", "near", "a", "ct-*", "", " "):
                assert ranked(store, LANE, [term], 99) == [], term

    def test_a_turn_with_a_known_id_is_replaced(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "old"), turn(2, "other")]), 0)
            store.commit(LANE, Batch(turns=[turn(1, "new new")]), 0)
            assert ranked(store, LANE, ["old"], 5) == []
            assert ids(ranked(store, LANE, ["new"], 5)) == [1]
            assert store.turns(LANE, [2, 1, 9]) == [turn(2, "other"), turn(1, "new new")]

    def test_a_dropped_turn_is_not_found(self) -> None:
        with self.store() as store:
            for batch in (Batch(turns=[turn(1, "word"), turn(2, "word")]), Batch(dropped_turns=[1, 7])):
                store.commit(LANE, batch, 0)
            assert ids(ranked(store, LANE, ["word"], 5)) == [2]
            assert store.turns(LANE, [1]) == []

    def test_ranking_does_not_depend_on_other_lanes(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "red green green"), turn(2, "red"), turn(3, "blue")]), 0)
            before = ranked(store, LANE, ["red", "green"], 5)
            for other in OTHERS:
                store.commit(other, Batch(turns=[turn(number, "green " * number) for number in range(1, 20)]), 0)
            assert ranked(store, LANE, ["red", "green"], 5) == before

    def test_a_search_knows_the_numbers_of_its_scope(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "red green"), turn(2, "red red blue gray")]), 0)
            found = store.search(PROJECT, ["red", "white"], 5)
            assert (found.turn_count, found.mean_length) == (2, 3.0)
            assert 0 < found.rows[-1].words <= found.rows[0].words < found.ceiling
            assert store.search(PROJECT, ["white"], 5).ceiling == 0
            assert store.search(PROJECT, ["red"], 5, Filter(roles=("nobody",))).ceiling > 0

    def test_a_scope_is_a_project_a_session_or_a_lane(self) -> None:
        with self.store() as store:
            for number, key in enumerate((LANE, *OTHERS), start=1):
                store.commit(key, Batch(entries=[entry(1)], turns=[turn(number, "word")], literals=[Literals(1, ("lit",))]), 0)
            for scope, wanted in (
                (PROJECT, [LANE, OTHERS[2], OTHERS[3]]),
                (Scope("tenant", "project", "session"), [LANE, OTHERS[3]]),
                (Scope("tenant", "project", "", "main"), [LANE, OTHERS[2]]),
                (Scope("tenant", "project", "session", "lane 2"), [OTHERS[3]]),
                (Scope("tenant 2", "project"), [OTHERS[0]]),
                (Scope("tenant", "none"), []),
            ):
                found = store.search(scope, ["word"], 9)
                assert sorted(row.key for row in found.rows) == sorted(wanted), scope
                assert found.turn_count == len(wanted)
                assert sorted(key for key, _ in store.find_literal(scope, "lit")) == sorted(wanted)
                assert sorted(key for key, _ in store.unembedded(scope, "e", 9)) == sorted(wanted)
                assert [row.key for row in store.candidates([row.doc for row in found.rows], scope)] == [row.key for row in found.rows]

    def test_a_private_lane_is_seen_by_itself_only(self) -> None:
        with self.store() as store:
            mine, other = LANE, OTHERS[3]
            store.set_private(mine, True)
            for key in (mine, other):
                batch = Batch(entries=[entry(1)], turns=[turn(1, "word")], literals=[Literals(1, ("lit",))], vectors=[vector(1)])
                store.commit(key, batch, 0)
            assert store.is_private(mine)
            assert not store.is_private(other)
            assert not store.is_private(LaneKey("no", "such", "lane"))
            for scope in (PROJECT, Scope("tenant", "project", "session"), Scope("tenant", "project", reader=other)):
                assert [row.key for row in store.search(scope, ["word"], 9).rows] == [other]
                assert store.search(scope, ["word"], 9).turn_count == 1
                assert store.find_literal(scope, "lit") == [(other, 1)]
                assert len(list(store.vectors(scope, "e"))) == 1
            own = Scope("tenant", "project", reader=mine)
            assert {row.key for row in store.search(own, ["word"], 9).rows} == {mine, other}
            assert len(list(store.vectors(own, "e"))) == 2
            hidden = [row.doc for row in store.search(lane_scope(mine), ["word"], 9).rows]
            assert store.candidates(hidden, PROJECT) == []
            assert store.neighbors(hidden, PROJECT) == {}
            before = store.revision(PROJECT)
            store.set_private(mine, False)
            assert store.revision(PROJECT) != before
            assert len(store.search(PROJECT, ["word"], 9).rows) == 2

    def test_the_lanes_of_a_session_are_told_sorted(self) -> None:
        with self.store() as store:
            later = LaneKey("tenant", "project", "session", "a lane")
            for key in (LANE, *OTHERS, later):
                store.commit(key, Batch(entries=[entry(1)]), 0)
            assert store.lanes("tenant", "project", "session") == [later, OTHERS[3], LANE]
            assert store.lanes("tenant", "project", "session 2") == [OTHERS[2]]
            assert store.lanes("tenant", "project", "none") == store.lanes("none", "project", "session") == []
            # private ones too: what is seen of them is for the scope to say
            store.set_private(later, True)
            assert later in store.lanes("tenant", "project", "session")

    def test_the_newest_rows_come_newest_first(self) -> None:
        with self.store() as store:
            assert store.newest(PROJECT, 5) == []
            store.commit(LANE, Batch(turns=[turn(1, "a"), turn(2, "b")]), 0)
            store.commit(OTHERS[3], Batch(turns=[turn(3, "c")]), 0)
            store.commit(LANE, Batch(turns=[turn(4, "d")]), 0)
            store.commit(OTHERS[0], Batch(turns=[turn(5, "e")]), 0)
            assert ids(store.newest(PROJECT, 9)) == [4, 3, 2, 1]
            assert ids(store.newest(PROJECT, 2)) == [4, 3]
            assert ids(store.newest(lane_scope(OTHERS[3]), 9)) == [3]
            assert store.newest(PROJECT, 0) == []
            # of the two newest, those that pass
            assert ids(store.newest(PROJECT, 2, Filter(since_ms=1_004))) == [4]
            assert store.newest(PROJECT, 2, Filter(until_ms=1_002)) == []
            store.set_private(OTHERS[3], True)
            assert ids(store.newest(PROJECT, 2)) == [4, 2]
            store.commit(LANE, Batch(dropped_turns=[4]), 0)
            assert ids(store.newest(PROJECT, 9)) == [2, 1]

    def test_the_terms_of_rows_come_in_their_order_with_repetitions(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "red green red"), turn(2, "看板 ct-88213")]), 0)
            store.commit(OTHERS[0], Batch(turns=[turn(3, "hidden")]), 0)
            docs = {row.turn_id: row.doc for row in store.newest(PROJECT, 9)}
            elsewhere = store.newest(lane_scope(OTHERS[0]), 9)[0].doc
            found = store.terms([docs[2], docs[1], elsewhere, 10**9], PROJECT)
            assert found == {docs[1]: "red green red", docs[2]: "看板 ct-88213"}
            assert store.terms([], PROJECT) == {}
            store.commit(LANE, Batch(dropped_turns=[1]), 0)
            assert store.terms([docs[1]], PROJECT) == {}

    def test_vectors_of_given_rows(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "a"), turn(2, "b"), turn(3, "c")]), 0)
            store.commit(OTHERS[0], Batch(turns=[turn(4, "d")], vectors=[vector(4)]), 0)
            store.commit(LANE, Batch(vectors=[vector(1), vector(2, 0), vector(2, 1), vector(3, 0, "other")]), 0)
            docs = {row.turn_id: row.doc for row in store.newest(PROJECT, 9)}
            elsewhere = store.newest(lane_scope(OTHERS[0]), 9)[0].doc
            rows = list(store.vectors(PROJECT, "e", docs=[docs[3], docs[2], elsewhere, 10**9]))
            assert [(row.doc, row.window) for row in rows] == [(docs[2], 0), (docs[2], 1)]
            assert list(store.vectors(PROJECT, "e", docs=[])) == []

    def test_filters_hold_for_words_and_rows_alike(self) -> None:
        rows = [
            Turn(1, 1, 2, 1_000, "user", "word a", {"entities": ["Visa Gold"], "intent": ["question"]}),
            Turn(2, 3, 4, 2_000, "assistant", "word b", {"entities": ["Master", "visa gold"], "intent": ["decision"]}),
            Turn(3, 5, 6, 3_000, "user", "word c", {"entities": ["费用"]}, (), "fragment"),
        ]
        wanted: list[tuple[Filter, set[int]]] = [
            (Filter(), {1, 2, 3}),
            (Filter(roles=("user",)), {1, 3}),
            (Filter(roles=("user", "assistant"), kinds=("turn",)), {1, 2}),
            (Filter(kinds=("fragment",)), {3}),
            (Filter(since_ms=2_000), {2, 3}),
            (Filter(until_ms=2_000), {1}),
            (Filter(since_ms=1_001, until_ms=3_000), {2}),
            (Filter(since_ms=9_000), set()),
            (Filter(tags={"entities": ("VISA GOLD",)}), {1, 2}),
            (Filter(tags={"entities": ("visa",)}), set()),
            (Filter(tags={"entities": ("visa gold", "费用")}), {1, 2, 3}),
            (Filter(tags={"entities": ("visa gold",), "intent": ("decision", "request")}), {2}),
            (Filter(tags={"entities": ()}), {1, 2, 3}),
            (Filter(before_seq=4, lane=LANE), {1}),
            (Filter(before_seq=4, lane=OTHERS[0]), {1, 2, 3}),
            (Filter(before_seq=5), {1, 2}),
            (Filter(before_seq=5, lane=LANE, roles=("user",)), {1}),
        ]
        with self.store() as store:
            store.commit(LANE, Batch(turns=rows), 0)
            docs = [row.doc for row in store.search(PROJECT, ["word"], 9).rows]
            for where, ids_wanted in wanted:
                assert set(ids(store.search(PROJECT, ["word"], 9, where).rows)) == ids_wanted, where
                assert set(ids(store.candidates(docs, PROJECT, where))) == ids_wanted, where
            assert {row.kind for row in store.candidates(docs, PROJECT)} == {"turn", "fragment"}

    def test_candidates_come_in_the_order_of_their_numbers(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(number, "word") for number in range(1, 6)]), 0)
            docs = [row.doc for row in ranked(store, LANE, ["word"], 9)]
            shuffled = [docs[2], docs[0], 10**9, docs[4]]
            assert [row.doc for row in store.candidates(shuffled, PROJECT)] == [docs[2], docs[0], docs[4]]
            (row,) = store.candidates([docs[0]], PROJECT)
            assert (row.key, row.length, row.words) == (LANE, 1, 0.0)

    def test_neighbors_are_of_the_same_lane_by_place(self) -> None:
        with self.store() as store:
            for key in (LANE, OTHERS[2]):
                store.commit(key, Batch(turns=[turn(number, f"w{number}", last_seq=10 * number) for number in (3, 1, 2, 5, 4)]), 0)
            store.commit(LANE, Batch(turns=[Turn(9, 25, 25, 1, "user", "piece", kind="fragment")]), 0)
            doc = {row.turn_id: row.doc for row in ranked(store, LANE, ["w1", "w2", "w3", "w4", "w5", "piece"], 9)}
            found = store.neighbors([doc[3], doc[1]], PROJECT)
            assert found == {doc[3]: (doc[2], doc[1], doc[4], doc[5]), doc[1]: (doc[2], doc[3])}
            assert store.neighbors([doc[3]], PROJECT, 1) == {doc[3]: (doc[2], doc[4])}
            assert store.neighbors([doc[9], 10**9], PROJECT) == {doc[9]: ()}

    def test_vectors_come_by_row_and_window(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "a"), turn(2, "b"), turn(3, "c")]), 0)
            store.commit(LANE, Batch(vectors=[vector(2, 1), vector(2, 0), vector(3), vector(7), vector(1, 0, "other")]), 0)
            rows = list(store.vectors(PROJECT, "e"))
            docs = [row.doc for row in reversed(ranked(store, LANE, ["a", "b", "c"], 9))]
            assert [(row.doc, row.window, row.data) for row in rows] == [
                (docs[1], 0, b"2 0 e"),
                (docs[1], 1, b"2 1 e"),
                (docs[2], 0, b"3 0 e"),
            ]
            assert list(store.vectors(PROJECT, "e", after_doc=docs[1])) == rows[2:]
            assert [turn.turn_id for _, turn in store.unembedded(LANE, "e", 9)] == [1]
            assert [turn.turn_id for _, turn in store.unembedded(LANE, "new", 2)] == [1, 2]
            # later, but of an older row
            newest = max(row.number for row in rows)
            store.commit(LANE, Batch(vectors=[vector(1)]), 0)
            assert [row.doc for row in store.vectors(PROJECT, "e", after_number=newest)] == [docs[0]]
            assert store.unembedded(LANE, "e", 9) == []
            assert list(store.vectors(Scope("tenant 2", "project"), "e")) == list(store.vectors(PROJECT, "none")) == []

    def test_vectors_are_replaced_and_go_with_their_turn(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "a"), turn(2, "b")], vectors=[vector(1, 0), vector(1, 1), vector(2)]), 0)
            store.commit(LANE, Batch(vectors=[vector(1)]), 0)
            assert [row.data for row in store.vectors(PROJECT, "e")] == [b"1 0 e", b"2 0 e"]
            before = store.revision(PROJECT)
            store.commit(LANE, Batch(turns=[turn(2, "new")]), 0)
            after = store.revision(PROJECT)
            assert (after[0] > before[0], after[1] > before[1]) == (True, True)
            assert [row.data for row in store.vectors(PROJECT, "e")] == [b"1 0 e"]
            assert [turn.terms for _, turn in store.unembedded(PROJECT, "e", 9)] == ["new"]
            store.commit(LANE, Batch(dropped_turns=[1, 2]), 0)
            assert list(store.vectors(PROJECT, "e")) == []
            assert store.revision(PROJECT)[0] == after[0]
            # a number is not given again
            store.commit(LANE, Batch(turns=[turn(3, "third")]), 0)
            assert store.revision(PROJECT)[0] > after[0]

    def test_literals_are_found_whole_by_prefix_and_newest_first(self) -> None:
        long = "x" * 600
        with self.store() as store:
            entries = [entry(seq) for seq in range(1, 6)]
            literals = [
                Literals(1, ("CT-88213", "src/a b.py")),
                Literals(2, ()),
                Literals(3, ("ct-88213", "ct-9", "看板")),
                Literals(5, ("a*b", long, "ct-88213", "ct-88213")),
            ]
            store.commit(LANE, Batch(entries=entries, literals=literals), 0)
            store.commit(OTHERS[2], Batch(entries=[entry(1)], literals=[Literals(1, ("CT-88213",))]), 0)
            lane = lane_scope(LANE)
            assert store.find_literal(lane, "Ct-88213") == [(LANE, 5), (LANE, 3), (LANE, 1)]
            assert store.find_literal(lane, "ct-88213", limit=2) == [(LANE, 5), (LANE, 3)]
            assert store.find_literal(lane, "ct-", prefix=True) == [(LANE, 5), (LANE, 3), (LANE, 1)]
            assert store.find_literal(lane, "SRC/A B.py") == [(LANE, 1)]
            assert store.find_literal(lane, "看", prefix=True) == [(LANE, 3)]
            assert store.find_literal(lane, long) == store.find_literal(lane, "a*b") == [(LANE, 5)]
            for nothing in ("ct", "88213", "a*", "", '"', "ct-88213 "):
                assert store.find_literal(lane, nothing) == [], nothing
            assert store.find_literal(PROJECT, "ct-88213") == [(LANE, 5), (LANE, 3), (OTHERS[2], 1), (LANE, 1)]
            assert store.find_literal(PROJECT, "ct-88213", limit=1) == [(LANE, 5)]
            assert store.literals_upto(LANE) == 5

    def test_literals_of_known_entries_are_not_taken_twice(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(entries=[entry(1)], literals=[Literals(1, ("one",))]), 0)
            store.commit(LANE, Batch(literals=[Literals(1, ("one", "late")), Literals(2, ("early",))]), 1)
            assert store.find_literal(PROJECT, "one") == [(LANE, 1)]
            assert store.find_literal(PROJECT, "late") == store.find_literal(PROJECT, "early") == []
            assert store.literals_upto(LaneKey("no", "such", "lane")) == 0

    def test_a_document_that_is_deleted_and_added_again_is_there_once(self) -> None:
        pieces = [Turn(number, number, number, 5, "library", f"heading p{number}", kind="fragment") for number in range(100, 110)]
        batch = Batch(turns=pieces, vectors=[vector(piece.turn_id) for piece in pieces])
        with self.store() as store:
            store.commit(LANE, Batch(turns=[turn(1, "heading")]), 0)
            for _ in range(3):
                store.commit(LANE, batch, 0)
                found = store.search(PROJECT, ["heading"], 50)
                assert (len(found.rows), found.turn_count) == (11, 11)
                assert len(list(store.vectors(PROJECT, "e"))) == 10
                store.commit(LANE, Batch(dropped_turns=[piece.turn_id for piece in pieces]), 0)
                found = store.search(PROJECT, ["heading"], 50)
                assert (ids(found.rows), found.turn_count) == ([1], 1)
                assert list(store.vectors(PROJECT, "e")) == []
