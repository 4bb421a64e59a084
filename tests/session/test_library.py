"""The documents of a project: put in, replaced, taken out, found and read by pieces."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.session.cases import ask, opened, text_of, user
from trimtab.errors import BadNeed, BadSetting, NotFound, StoreError, UnknownDocumentKind, UnreadableDocument
from trimtab.recall.needs import Need
from trimtab.session.library import LIBRARY_SESSION, PIECES, Library, library_key
from trimtab.session.library_pieces import FragmentTexts, fragment_text
from trimtab.stores import Batch, LaneKey, SqliteStore, Store, open_store

_MORE = " ".join(["Whoever works at the counter reads this chapter once a year and signs the list at the door."] * 8)
GUIDE = f"""# Handbook

Welcome. {_MORE}

## Refunds

A refund is paid within 30 days of the request. {_MORE}

## Shipping

Parcels leave the warehouse in Rotterdam every Tuesday. {_MORE}

### Customs

Goods above 150 EUR need form CN-23. {_MORE}
"""
CHINESE = "# 报销制度\n\n## 差旅\n\n住宿每晚不超过四百元。\n\n## 餐费\n\n餐费凭发票报销。\n"


def rows_of(store: Store) -> list[str]:
    """(document, piece) of every search row there is, by a look into the scope."""
    found = store.newest(Library(store).scope, 1_000, PIECES)
    return sorted(f"{row.tags['document'][0]} {row.turn_id}" for row in found)


def test_a_document_is_cut_listed_found_and_read() -> None:
    with opened() as session:
        library = session.library
        assert not library
        added = library.add(GUIDE, "guide.md")
        assert (added.name, added.kind, added.changed, added.warnings) == ("guide.md", "md", True, ())
        assert library
        (listed,) = library.list()
        assert (listed.name, listed.title, listed.pieces, listed.chars) == ("guide.md", "Handbook", added.pieces, len(GUIDE))
        best = library.search("How long does a refund take?", limit=2)[0]
        assert "within 30 days" in best.text
        assert (best.name, best.path, best.where) == ("guide.md", ("Handbook", "Refunds"), "guide.md, Handbook > Refunds")
        assert best.score > 0 and best.parts
        assert library.read("guide.md", best.number).text == best.text
        assert library.read("guide.md", best.where).number == best.number
        assert library.piece(best.piece_id) == library.read("guide.md", best.number)
        pieces = [library.read("guide.md", number) for number in range(added.pieces)]
        assert [piece.number for piece in pieces] == list(range(added.pieces))


def test_a_piece_is_found_by_the_headings_it_stands_under() -> None:
    with opened() as session:
        long = "\n\n".join(f"Paragraph {number} of it. {_MORE}" for number in range(6))
        pieces = session.library.add(f"{GUIDE}\n{long}\n", "guide.md").pieces
        found = session.library.search("customs", limit=pieces)
        assert len(found) > 1 and all(piece.path[-1] == "Customs" for piece in found)
        assert any("customs" not in piece.text.lower() for piece in found)


def test_chinese_documents_and_needs() -> None:
    with opened() as session:
        session.library.add(CHINESE, "制度.md")
        session.library.add(GUIDE, "guide.md")
        assert "四百元" in session.library.search("住宿标准是多少")[0].text
        assert "CN-23" in session.library.search(Need(words="which form", entities=("CN-23",), time_range=(1, 2)))[0].text
        assert session.library.search({"entities": ["Rotterdam"]})[0].name == "guide.md"
        with pytest.raises(BadNeed):
            session.library.search("")


def test_the_same_bytes_change_nothing_and_others_replace() -> None:
    store = open_store(":memory:")
    library = Library(store)
    first = library.add(GUIDE.encode(), "guide.md")
    entries, rows = store.load(library.key), rows_of(store)
    assert library.add(GUIDE, "guide.md") == first.__class__("guide.md", "md", first.pieces, False)
    assert store.load(library.key) == entries
    old = library.search("refund")[0]
    changed = library.add(GUIDE.replace("30 days", "45 days"), "guide.md")
    assert changed.changed
    assert len(rows_of(store)) == changed.pieces and not set(rows_of(store)) & set(rows)
    found = library.search("refund days")
    assert "45 days" in found[0].text and not any("30 days" in piece.text for piece in found)
    assert library.piece(old.piece_id) is None
    assert len(library.list()) == 1


def test_a_dropped_document_is_found_no_more_and_can_come_again() -> None:
    store = open_store(":memory:")
    library = Library(store)
    library.add(GUIDE, "guide.md")
    library.add(CHINESE, "制度.md")
    library.drop("guide.md")
    assert library.search("refund") == () and len(library.list()) == 1
    assert all(row.startswith("制度.md") for row in rows_of(store))
    with pytest.raises(NotFound, match="制度"):
        library.drop("guide.md")
    with pytest.raises(NotFound):
        library.read("guide.md")
    again = library.add(GUIDE, "guide.md")
    assert again.changed and len([row for row in rows_of(store) if row.startswith("guide.md")]) == again.pieces
    with pytest.raises(NotFound, match="0 to"):
        library.read("guide.md", 99)
    with pytest.raises(NotFound, match="by number"):
        library.read("guide.md", "nowhere")


def test_documents_belong_to_the_project_and_not_to_a_session(tmp_path: Path) -> None:
    path = tmp_path / "db"
    with opened(path, "one") as one:
        one.library.add(GUIDE, "guide.md")
    with opened(path, "two") as two, opened(path, "three", project="another") as three, opened(path, "four", tenant="t2") as four:
        assert two.library.search("refund")
        assert not three.library and not four.library
        assert three.library.search("refund") == ()
    with pytest.raises(BadSetting, match="does not begin with '@'"):
        opened(path, LIBRARY_SESSION)


def test_a_file_has_its_own_name_and_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    file = tmp_path / "guide.md"
    file.write_text(GUIDE, "utf-8")
    with opened() as session:
        assert session.library.add(file).name == "guide.md"
        assert not session.library.add(GUIDE, "guide.md").changed
        with pytest.raises(BadSetting, match="need one"):
            session.library.add(GUIDE)
        with pytest.raises(BadSetting):
            session.library.add(GUIDE, "two\nlines")
        with pytest.raises(UnreadableDocument, match="check the path"):
            session.library.add(tmp_path / "nothing.md")
        with pytest.raises(UnknownDocumentKind):
            session.library.add(b"\x89PNG\r\n\x1a\n", "picture.png")
        assert len(session.library.list()) == 1


def test_the_whole_document_never_enters_a_prompt() -> None:
    with opened() as session:
        chapters = [f"## Chapter {number}\n\nThe pass for gate {number} is in drawer D-{number}. {_MORE}" for number in range(20)]
        session.library.add("\n\n".join(chapters), "guide.md")
        session.record(user("Where is the pass for gate 7?"))
        prompt = text_of(ask(session))
        assert sum(f"drawer D-{number}." in prompt for number in range(20)) <= 5


def test_what_an_embedder_is_given_of_a_piece() -> None:
    store = open_store(":memory:")
    library = Library(store)
    library.add(GUIDE, "guide.md")
    library.add(CHINESE, "制度.md")
    rows = store.unembedded(library.scope, "some-embedder", 100)
    texts = FragmentTexts(store)
    told = [texts(key, turn) for key, turn in rows]
    assert told == [fragment_text(store, key, turn) for key, turn in rows]
    assert any(text.startswith("Handbook > Shipping > Customs\n") and "CN-23" in text for text in told)


def test_a_restart_finds_all(tmp_path: Path) -> None:
    path = tmp_path / "db"
    names = [f"paper {number}.txt" for number in range(40)]
    with opened(path) as session:
        for name in names:
            session.library.add(f"This is about topic{name.split()[1].removesuffix('.txt')}x and nothing else.", name)
    with opened(path) as session:
        assert [row.name for row in session.library.list()] == names
        assert session.library.search("topic17x")[0].name == "paper 17.txt"


# ---------------------------------------------------------------- two writers, and commits that fail


class Failing:
    """A store whose commits can fail: before anything is written, or after all is, as when the writer is killed."""

    def __init__(self, store: SqliteStore) -> None:
        self._store, self.fails = store, ""

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        how, self.fails = self.fails, ""
        if how == "before":
            raise StoreError("the disk is full")
        self._store.commit(key, batch, expect_seq)
        if how == "after":
            raise StoreError("killed")


DOCUMENTS = {"a.md": (GUIDE, GUIDE.replace("30", "45")), "b.txt": ("One line.", "Another line, and\n\nanother paragraph.")}
steps = st.lists(
    st.tuples(
        st.integers(0, 1), st.sampled_from(("add", "add", "drop", "reopen")), st.sampled_from(sorted(DOCUMENTS)), st.integers(0, 1),
        st.sampled_from(("", "", "", "before", "after")),
    ),
    max_size=25,
)  # fmt: skip


@given(steps)
def test_nothing_is_lost_or_doubled_by_two_writers_and_crashes(script: list[tuple[int, str, str, int, str]]) -> None:
    store = open_store(":memory:")
    assert isinstance(store, SqliteStore)
    writers = [Failing(store), Failing(store)]
    libraries = [Library(writer) for writer in writers]  # type: ignore[arg-type]
    there: dict[str, str] = {}
    for who, act, name, version, fails in script:
        library, text = libraries[who], DOCUMENTS[name][version]
        writers[who].fails = fails
        if act == "reopen":
            libraries[who] = Library(writers[who])  # type: ignore[arg-type]
        else:
            done = True
            try:
                if act == "add":
                    library.add(text, name)
                else:
                    library.drop(name)
            except NotFound:
                done = False
            except StoreError:
                done = fails == "after"
            if done:
                there.pop(name, None)
                if act == "add":
                    there[name] = text
        writers[who].fails = ""
        fresh = Library(store)
        assert {row.name for row in fresh.list()} == set(there)
        expected = {f"{row.name} {piece}" for row in fresh._lane.state.documents.values() for piece in row.piece_ids}
        assert rows_of(store) == sorted(expected)
        for name_, text_ in there.items():
            count = next(row.pieces for row in fresh.list() if row.name == name_)
            told = " ".join(fresh.read(name_, number).text for number in range(count))
            assert told.split() == text_.split()
            assert {name_} == {piece.name for piece in fresh.search(text_, limit=50) if piece.name == name_}


def test_two_processes_that_add_the_same_at_once_add_it_once(tmp_path: Path) -> None:
    path = tmp_path / "db"
    with opened(path) as one, opened(path) as two:
        # both looked before either wrote
        first, second = one.library, two.library
        assert not first and not second
        assert first.add(GUIDE, "guide.md").changed
        assert not second.add(GUIDE, "guide.md").changed
        assert len(one.store.load(library_key("default", "default"))) == 1
