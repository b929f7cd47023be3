from __future__ import annotations

import pytest

from pipelines.schema import Clause

from .law import make_law


@pytest.fixture(scope="session")
def law(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Clause]:
    """A small regulation made by hand, by article."""
    return make_law(tmp_path_factory.mktemp("law"))
