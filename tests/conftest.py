"""Fixtures that every test folder shares: the FIA's documents, each read at most once a run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pipelines.schema import ReadResult

for _name in [name for name in os.environ if name.startswith("TECHREG_") and name != "TECHREG_CHROMIUM"]:
    del os.environ[_name]  # a developer's own settings are not what is tested

REGULATIONS = Path(__file__).parents[1] / "../shared/regulations"
FEBRUARY = "2026-02-27"
JUNE = "2026-06-25"


class IssueSet(Mapping[str, "ReadResult"]):
    """The regulations of one date by section letter; a document is read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.glob("*.pdf"))
        sections = {file: re.search(r"section[ _]([a-f])[ _]", file.name, re.IGNORECASE) for file in files}
        self.files = {match[1].upper(): file for file, match in sections.items() if match}
        self._read: dict[str, ReadResult] = {}

    def __getitem__(self, section: str) -> ReadResult:
        from pipelines.reading import read_document

        if section not in self._read:
            self._read[section] = read_document(self.files[section])
        return self._read[section]

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


def issue_set(date: str) -> IssueSet:
    folder = REGULATIONS / date
    if not folder.is_dir():
        pytest.skip(f"the FIA's documents of {date} are not in ../shared/regulations")
    return IssueSet(folder)


@pytest.fixture(scope="session")
def february() -> IssueSet:
    """Sections A to F in the issues of 27 February 2026."""
    return issue_set(FEBRUARY)


@pytest.fixture(scope="session")
def june() -> IssueSet:
    """Sections A, B, D, E and F in the issues of 25 June 2026."""
    return issue_set(JUNE)
