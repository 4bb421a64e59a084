import pytest

# the suite lives in the package: without this its plain asserts would not say what they compared
pytest.register_assert_rewrite("trimtab.testing.store_conformance", "trimtab.testing.recall_conformance")
