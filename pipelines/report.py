"""What an ingest run tells: its progress, and what happened to each file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: the stage, and pages read, clauses read and clauses indexed of the totals known so far."""

    stage: str  # "read", "index" or "done"
    file: str
    pages: int
    pages_total: int
    clauses: int
    clauses_total: int


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """What happened to one file. ``state``: added, changed, unchanged, removed or failed (``error`` then says why)."""

    file: str
    state: str
    section: str = ""
    issue: str = ""
    date: str = ""
    season: str = ""
    status: str = ""
    pages: int = 0
    clauses: int = 0
    nodes: int = 0
    struck_characters: int = 0
    account: dict[str, int] = field(default_factory=dict)  # total, clauses, and each named drop
    warnings: tuple[str, ...] = ()
    error: str = ""
    seconds: float = 0.0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """One run over all files."""

    documents: tuple[DocumentReport, ...]
    seconds: float

    @property
    def failed(self) -> int:
        """How many files gave an error."""
        return sum(1 for document in self.documents if document.state == "failed")

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON data: ``documents`` and ``totals``."""
        totals: dict[str, Any] = {"documents": len(self.documents), "seconds": round(self.seconds, 3)}
        for state in ("added", "changed", "unchanged", "removed", "failed"):
            totals[state] = sum(1 for document in self.documents if document.state == state)
        for name in ("pages", "clauses", "nodes", "struck_characters"):
            totals[name] = sum(getattr(document, name) for document in self.documents)
        return {"documents": [asdict(document) for document in self.documents], "totals": totals}


ProgressCallback = Callable[[Progress], None]
