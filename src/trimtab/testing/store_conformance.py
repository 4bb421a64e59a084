"""What every `Store` must do, as a suite for pytest.

class TestMyStore(StoreConformance):
    def make_store(self):
        return MyStore(...)          # an empty store, each time

class TestMyStoreKept(DurableStoreConformance):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path): self.path = tmp_path
    def open_store(self):
        return MyStore(self.path)    # the same store, each time
"""

from __future__ import annotations

from itertools import pairwise
from threading import Barrier, Thread

from trimtab.errors import NotFound, SeqConflict, StoreError
from trimtab.stores.protocol import Store
from trimtab.stores.values import Batch, Body, Count, LaneHead, Snapshot, StoredEntry
from trimtab.testing.recall_conformance import RecallConformance
from trimtab.testing.store_rows import LANE, OTHERS, entry, grow, ids, raises, ranked, turn

__all__ = ["LANE", "OTHERS", "DurableStoreConformance", "StoreConformance", "entry", "turn"]

_PATIENCE_SECONDS = 60  # a writer that died breaks the barrier instead of holding the others for ever


class StoreConformance(RecallConformance):
    """Contracts that need one empty store."""

    def test_a_lane_that_does_not_exist_is_empty(self) -> None:
        with self.store() as store:
            assert store.head(LANE) == LaneHead(0, 0, 0)
            assert store.load(LANE) == []
            assert store.snapshot(LANE, 99) is None
            assert store.snapshot_seqs(LANE) == []
            assert store.turns(LANE, [1]) == []
            assert ranked(store, LANE, ["word"], 5) == []
            assert store.sessions("tenant", "project") == []

    def test_entries_come_back_as_they_were(self) -> None:
        entries = [
            StoredEntry(1, 0, 1, "message", 1, 1_700_000_000_000, '{"text":"不要看板 😀"}'.encode()),
            StoredEntry(2, 1, 1, "request", 3, 1_700_000_000_001, b"\x00\xff not JSON", 7),
        ]
        with self.store() as store:
            store.commit(LANE, Batch(entries=entries), 0)
            assert store.load(LANE) == entries
            assert store.entry(LANE, 2) == entries[1]
            assert store.head(LANE) == LaneHead(2, 7, 2)

    def test_load_takes_the_range_after_and_up_to(self) -> None:
        with self.store() as store:
            grow(store, LANE, 9)
            assert [found.seq for found in store.load(LANE, 3)] == [4, 5, 6, 7, 8, 9]
            assert [found.seq for found in store.load(LANE, 3, 6)] == [4, 5, 6]
            assert store.load(LANE, 9) == []

    def test_a_commit_at_another_end_is_refused_whole(self) -> None:
        with self.store() as store:
            grow(store, LANE, 2)
            batch = Batch(
                entries=[entry(2)],
                bodies=[Body("b", b"bytes")],
                counts=[Count("b", "o200k", 1)],
                turns=[turn(1, "word")],
                snapshot=Snapshot(2, 1, b"s"),
            )
            error = raises(SeqConflict, lambda: store.commit(LANE, batch, 1))
            assert isinstance(error, SeqConflict)
            assert (error.expected_seq, error.found_seq, error.retryable) == (1, 2, True)
            assert [found.data for found in store.load(LANE)] == [b"1", b"2"]
            raises(NotFound, lambda: store.bodies(LANE.tenant_id, ["b"]))
            assert store.counts(LANE.tenant_id, ["b"], "o200k") == {}
            assert ranked(store, LANE, ["word"], 5) == []
            assert store.snapshot_seqs(LANE) == []

    def test_numbers_that_do_not_follow_are_refused(self) -> None:
        with self.store() as store:
            for wrong in ([entry(2)], [entry(1), entry(3)], [entry(1), entry(1)]):
                raises(StoreError, lambda wrong=wrong: store.commit(LANE, Batch(entries=wrong), 0))  # type: ignore[misc]
            assert store.head(LANE) == LaneHead(0, 0, 0)

    def test_a_request_number_is_given_once(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(entries=[entry(1, request=1)]), 0)
            again = Batch(entries=[entry(2), entry(3, request=1)], bodies=[Body("b", b"bytes")])
            raises(SeqConflict, lambda: store.commit(LANE, again, 1))
            assert store.head(LANE) == LaneHead(1, 1, 1)
            raises(NotFound, lambda: store.bodies(LANE.tenant_id, ["b"]))
            store.commit(LANE, Batch(entries=[entry(2, request=2)]), 1)
            assert store.request(LANE, 1).seq == 1
            assert store.request(LANE, 2).seq == 2

    def test_what_is_not_there_is_named(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(entries=[entry(1, request=4), entry(2, request=5)]), 0)
            error = raises(NotFound, lambda: store.request(LANE, 9))
            assert isinstance(error, NotFound)
            assert (error.what, error.name, error.known) == ("request", 9, (4, 5))
            raises(NotFound, lambda: store.request(LANE, 0))
            raises(NotFound, lambda: store.entry(LANE, 3))
            raises(NotFound, lambda: store.entry(LANE, 0))
            error = raises(NotFound, lambda: store.bodies("tenant", ["gone"]))
            assert isinstance(error, NotFound)
            assert error.name == "gone"

    def test_lanes_share_nothing(self) -> None:
        with self.store() as store:
            batch = Batch(entries=[entry(1, request=1)], turns=[turn(1, "word")], snapshot=Snapshot(1, 1, b"s"))
            store.commit(LANE, batch, 0)
            store.commit(LANE, Batch(bodies=[Body("b", b"ours")], counts=[Count("b", "o200k", 1)]), 1)
            raises(NotFound, lambda: store.bodies("tenant 2", ["b"]))
            assert store.counts("tenant 2", ["b"], "o200k") == {}
            for other in OTHERS:
                assert store.head(other) == LaneHead(0, 0, 0)
                assert store.load(other) == []
                assert ranked(store, other, ["word"], 5) == []
                assert store.turns(other, [1]) == []
                assert store.snapshot(other, 9) is None
                raises(NotFound, lambda other=other: store.request(other, 1))  # type: ignore[misc]
                store.commit(other, batch, 0)
            assert ids(ranked(store, LANE, ["word"], 5)) == [1]

    def test_sessions_lists_the_lanes_of_one_project(self) -> None:
        with self.store() as store:
            for key in (*OTHERS, LANE):
                grow(store, key, 1)
            assert store.sessions("tenant", "project") == sorted([LANE, OTHERS[2], OTHERS[3]])

    def test_of_writers_at_one_end_exactly_one_wins(self) -> None:
        with self.store() as store:
            writers, rounds = 4, 10
            outcomes: list[tuple[int, int]] = []
            together = Barrier(writers, timeout=_PATIENCE_SECONDS)

            def write(writer: int) -> None:
                for seq in range(1, rounds + 1):
                    together.wait()
                    try:
                        store.commit(LANE, Batch(entries=[entry(seq, data=b"%d" % writer)]), seq - 1)
                        outcomes.append((seq, writer))
                    except SeqConflict:
                        pass
                    together.wait()

            threads = [Thread(target=write, args=(writer,)) for writer in range(writers)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert [(found.seq, int(found.data)) for found in store.load(LANE)] == sorted(outcomes)
            assert [seq for seq, _ in sorted(outcomes)] == list(range(1, rounds + 1))

    def test_bodies_come_back_as_they_were(self) -> None:
        bodies = {
            "empty": b"",
            "binary": bytes(range(256)) * 40,
            "long": "不要看板。 Keep it short. ".encode() * 5_000,
            "short": b"hi",
            **{f"body {number}": b"%d" % number for number in range(3_000)},
        }
        with self.store() as store:
            store.commit(LANE, Batch(bodies=[Body(*body) for body in bodies.items()]), 0)
            assert store.bodies("tenant", bodies) == bodies
            assert store.bodies("tenant", []) == {}
            assert store.bodies("tenant", ["short", "short"]) == {"short": b"hi"}

    def test_a_body_is_written_once(self) -> None:
        with self.store() as store:
            large = bytes(range(256)) * 1_000
            store.commit(LANE, Batch(entries=[entry(1)], bodies=[Body("b", large), Body("b", large)]), 0)
            before = store.size_bytes()
            for seq in range(2, 12):
                store.commit(LANE, Batch(entries=[entry(seq)], bodies=[Body("b", large)]), seq - 1)
            assert store.size_bytes() < before + len(large)
            assert store.bodies("tenant", ["b"]) == {"b": large}

    def test_counts_are_kept_by_counter(self) -> None:
        with self.store() as store:
            store.commit(LANE, Batch(counts=[Count("a", "o200k", 5), Count("a", "claude", 6), Count("b", "o200k", 0)]), 0)
            assert store.counts("tenant", ["a", "b", "c"], "o200k") == {"a": 5, "b": 0}
            assert store.counts("tenant", ["a", "b", "c"], "claude") == {"a": 6}
            store.commit(LANE, Batch(counts=[Count("a", "o200k", 7)]), 0)
            assert store.counts("tenant", ["a"], "o200k") == {"a": 7}

    def test_the_newest_snapshot_that_is_old_enough(self) -> None:
        with self.store() as store:
            grow(store, LANE, 30)
            for seq in (10, 20):
                store.commit(LANE, Batch(snapshot=Snapshot(seq, 2, b"state %d" % seq * 500)), 30)
            assert store.snapshot(LANE, 9) is None
            assert store.snapshot(LANE, 10) == Snapshot(10, 2, b"state 10" * 500)
            assert store.snapshot(LANE, 19) == Snapshot(10, 2, b"state 10" * 500)
            assert store.snapshot(LANE, 99) == Snapshot(20, 2, b"state 20" * 500)
            assert store.snapshot_seqs(LANE) == [10, 20]

    def test_snapshots_do_not_pile_up(self) -> None:
        with self.store() as store:
            grow(store, LANE, 400)
            for seq in range(1, 401):
                store.commit(LANE, Batch(snapshot=Snapshot(seq, 1, b"s")), 400)
            kept = store.snapshot_seqs(LANE)
            assert kept == sorted(kept)
            assert kept[-1] == 400
            assert len(kept) <= 40

    def test_size_grows_with_what_is_new(self) -> None:
        with self.store() as store:
            grow(store, LANE, 1)
            sizes = [store.size_bytes()]
            for at in range(3):
                first = 2 + 200 * at
                batch = Batch(entries=[entry(seq, data=b"x" * 200) for seq in range(first, first + 200)])
                store.commit(LANE, batch, first - 1)
                sizes.append(store.size_bytes())
            steps = [after - before for before, after in pairwise(sizes)]
            assert all(0 < step < 200 * 1_000 for step in steps), steps

    def test_a_closed_store_says_so(self) -> None:
        store = self.make_store()
        store.close()
        for call in (lambda: store.head(LANE), lambda: store.commit(LANE, Batch(), 0), lambda: store.bodies("tenant", ["b"])):
            assert "closed" in str(raises(StoreError, call))
        store.close()


class DurableStoreConformance:
    """Contracts of a store that outlives its process."""

    def open_store(self) -> Store:
        """The same store each time; empty the first time."""
        raise NotImplementedError

    def test_everything_is_there_after_reopening(self) -> None:
        store = self.open_store()
        batch = Batch(
            entries=[entry(1), entry(2, request=1)],
            bodies=[Body("b", b"bytes")],
            counts=[Count("b", "o200k", 3)],
            turns=[turn(1, "word")],
            snapshot=Snapshot(2, 1, b"state"),
        )
        store.commit(LANE, batch, 0)
        hits = ranked(store, LANE, ["word"], 5)
        store.close()
        store = self.open_store()
        assert store.head(LANE) == LaneHead(2, 1, 2)
        assert store.load(LANE) == list(batch.entries)
        assert store.bodies("tenant", ["b"]) == {"b": b"bytes"}
        assert store.counts("tenant", ["b"], "o200k") == {"b": 3}
        assert store.turns(LANE, [1]) == list(batch.turns)
        assert store.snapshot(LANE, 2) == batch.snapshot
        assert ranked(store, LANE, ["word"], 5) == hits != []
        store.close()

    def test_two_stores_see_each_other(self) -> None:
        one, two = self.open_store(), self.open_store()
        one.commit(LANE, Batch(entries=[entry(1)]), 0)
        assert two.head(LANE) == LaneHead(1, 0, 1)
        two.commit(LANE, Batch(entries=[entry(2)]), 1)
        raises(SeqConflict, lambda: one.commit(LANE, Batch(entries=[entry(2)]), 1))
        assert one.load(LANE) == two.load(LANE) == [entry(1), entry(2)]
        one.close()
        two.close()

    def test_of_two_stores_at_one_end_exactly_one_wins(self) -> None:
        won: list[int] = []
        together = Barrier(2, timeout=_PATIENCE_SECONDS)

        def write() -> None:
            store = self.open_store()
            for seq in range(1, 21):
                together.wait()
                try:
                    store.commit(LANE, Batch(entries=[entry(seq)]), seq - 1)
                    won.append(seq)
                except SeqConflict:
                    pass
                together.wait()
            store.close()

        threads = [Thread(target=write) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert won == list(range(1, 21))
