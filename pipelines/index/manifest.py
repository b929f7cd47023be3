"""The index's own record: what built it, which documents it holds, and which of their points may be searched.

A document's points live in the collection of their status. A *placement* is one document version in one collection;
while its points are being written or deleted it is not searched. So one write of the manifest makes a new version
searchable and the old one not, and a crash before or after leaves nothing half done in sight.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from pipelines.errors import IndexMismatch
from pipelines.models.embedding import ModelIdentity
from pipelines.schema import Document, Heading, Status

FORMAT = 1


class State(StrEnum):
    """Whether a placement's points may be searched."""

    LIVE = "live"
    WRITING = "writing"
    DELETING = "deleting"


@dataclass(frozen=True, slots=True)
class Entry:
    """One indexed version of a document: where it came from, what was read, what recipe cut it.

    ``generation`` names the version: it changes with the file's bytes and with the recipe.
    """

    generation: str
    document: Document
    recipe: str
    clauses: int
    nodes: int = 0
    account: dict[str, int] = field(default_factory=dict)
    headings: tuple[Heading, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """The record of an index. ``placements`` says per collection (a status) which versions lie in it, and how."""

    recipe: str
    model: ModelIdentity
    dimension: int
    entries: tuple[Entry, ...] = ()
    placements: dict[str, dict[str, str]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT

    def entry(self, generation: str) -> Entry | None:
        """The entry of a version, None where there is none."""
        return next((entry for entry in self.entries if entry.generation == generation), None)

    def hidden(self, status: Status) -> tuple[str, ...]:
        """The versions in a status's collection that must not be searched."""
        return tuple(sorted(g for g, state in self.placements.get(status, {}).items() if state != State.LIVE))

    def live(self, status: Status) -> tuple[str, ...]:
        """The versions in a status's collection that may be searched."""
        return tuple(sorted(g for g, state in self.placements.get(status, {}).items() if state == State.LIVE))

    @property
    def settled(self) -> bool:
        """True when nothing is half written or half deleted."""
        return not any(self.hidden(status) for status in Status)

    def with_states(self, changes: Iterable[tuple[Status, str, State | None]]) -> Manifest:
        """The manifest with placements set to a state, or forgotten (None)."""
        placements = {status: dict(states) for status, states in self.placements.items()}
        for status, generation, state in changes:
            states = placements.setdefault(str(status), {})
            if state is None:
                states.pop(generation, None)
            else:
                states[generation] = str(state)
        return replace(self, placements=placements)

    def check(self, recipe: str, model: ModelIdentity) -> None:
        """Make sure that this recipe and this model built the index.

        Raises:
            IndexMismatch: they did not; the message says which differs.
        """
        if self.format != FORMAT:
            raise IndexMismatch(f"the index has format {self.format}, this version reads {FORMAT}")
        if self.recipe != recipe:
            raise IndexMismatch(f"the index was built by text recipe {self.recipe}, this version has {recipe}")
        if self.model.fingerprint != model.fingerprint:
            built_by = f"another version of {model.name}" if self.model.name == model.name else self.model.name
            raise IndexMismatch(f"the index was built by {built_by}, the setting names {model.name}")
        built = (self.model.query_instruction, self.model.text_instruction)
        if built != (model.query_instruction, model.text_instruction):
            raise IndexMismatch(f"the index was built by {self.model.name} with other instructions")


def in_force(entries: Iterable[Entry]) -> set[str]:
    """The versions that are in force: of one season and section the issue with the latest date.

    Of issues of one date the higher number wins. A document that is no regulation is always in force.
    """
    latest: dict[tuple[str, ...], Entry] = {}
    current: set[str] = set()
    for entry in entries:
        document = entry.document
        if document.kind != "regulation":
            current.add(entry.generation)
            continue
        key = (document.season, document.section)
        if key not in latest or _age(entry) > _age(latest[key]):
            latest[key] = entry
    return current | {entry.generation for entry in latest.values()}


def headings(manifest: Manifest | None) -> dict[str, tuple[Heading, ...]]:
    """The titles without words of every document version that is held, by the document's hash."""
    return {entry.document.sha256: entry.headings for entry in manifest.entries} if manifest else {}


def _age(entry: Entry) -> tuple[str, int, str]:
    issue = entry.document.issue
    return (entry.document.date, int(issue) if issue.isdigit() else 0, issue)


class ManifestStore(Protocol):
    """Where a manifest is kept: beside a local index, or on the server that holds the index."""

    def load(self) -> Manifest | None:
        """The manifest, None where nothing was ever indexed."""
        ...

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest in one step: a crash leaves the old one or the new one."""
        ...

    def clear(self) -> None:
        """Forget the manifest."""
        ...


class ManifestFile:
    """The manifest of a local index, ``manifest.json`` in its folder."""

    def __init__(self, storage: Path) -> None:
        self.path = storage / "manifest.json"

    def load(self) -> Manifest | None:
        """The manifest, None where nothing was ever indexed.

        Raises:
            IndexMismatch: the file is damaged or of another version.
        """
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return parse(text)

    def save(self, manifest: Manifest) -> None:
        """Replace the file in one step."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".tmp")
        draft.write_text(dump(manifest), encoding="utf-8")
        draft.replace(self.path)

    def clear(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def dump(manifest: Manifest) -> str:
    """The manifest as JSON text."""
    return json.dumps(asdict(manifest), ensure_ascii=False, separators=(",", ":"))


def parse(text: str) -> Manifest:
    """The manifest from its JSON text.

    Raises:
        IndexMismatch: the text is no manifest of this version.
    """
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise IndexMismatch(f"the index has format {data['format']}, this version reads {FORMAT}")
        return Manifest(
            recipe=data["recipe"],
            model=ModelIdentity(**data["model"]),
            dimension=data["dimension"],
            entries=tuple(_entry(entry) for entry in data["entries"]),
            placements=data["placements"],
            versions=data["versions"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise IndexMismatch("the index's manifest cannot be read") from error


def _entry(data: dict[str, Any]) -> Entry:
    return Entry(
        **{
            **data,
            "document": Document(**data["document"]),
            "headings": tuple(Heading(**heading) for heading in data["headings"]),
            "warnings": tuple(data["warnings"]),
        }
    )
