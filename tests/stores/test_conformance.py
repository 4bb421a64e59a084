from pathlib import Path

import pytest

from trimtab.stores import SqliteStore, Store, open_store
from trimtab.testing.store_conformance import DurableStoreConformance, StoreConformance


class TestMemory(StoreConformance):
    def make_store(self) -> Store:
        return open_store(":memory:")


class TestFile(StoreConformance):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "trimtab.db"

    def make_store(self) -> Store:
        return SqliteStore(self.path)


class TestKept(DurableStoreConformance):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "trimtab.db"

    def open_store(self) -> Store:
        return SqliteStore(self.path)


class TestKeptWithPower(TestKept):
    def open_store(self) -> Store:
        return open_store(self.path, "power")
