"""A clause as JSON text and back, whole: what the index keeps of it beside the vectors."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

from pipelines.schema import Clause, Document, Kind, LineBox, Reference, Status

_PLAIN_TUPLES = ("path", "ancestors", "comments", "governance")
_SPANS = ("inserted", "tables")


def encode(clause: Clause) -> str:
    """The clause without its document; its lines and references as rows, since they are most of the size."""
    data = {field.name: getattr(clause, field.name) for field in fields(Clause) if field.name != "document"}
    data["lines"] = [list(asdict(line).values()) for line in clause.lines]
    data["references"] = [list(asdict(reference).values()) for reference in clause.references]
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def decode(text: str, document: Document, status: Status) -> Clause:
    """The clause that :func:`encode` wrote, in its document and with its status as of now."""
    data: dict[str, Any] = json.loads(text)
    for name in _PLAIN_TUPLES:
        data[name] = tuple(data[name])
    for name in _SPANS:
        data[name] = tuple((start, end) for start, end in data[name])
    data["lines"] = tuple(LineBox(*row) for row in data["lines"])
    data["references"] = tuple(Reference(*row) for row in data["references"])
    data["file_lines"] = tuple(data["file_lines"]) if data["file_lines"] else None
    data["kind"] = Kind(data["kind"])
    data["status"] = status
    return Clause(document=document, **data)
