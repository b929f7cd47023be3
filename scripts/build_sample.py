"""Build the sample regulation: its six PDFs, an older issue of Section B, and the truth that the tests compare with.

Run: ``python -m scripts.build_sample`` (needs the ``dev`` extra). The sources are in ``pipelines/data/sample/source``.
Two runs write the same bytes.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

from scripts.sample import frame, markup, pdf, truth
from scripts.sample.layout import Flow
from scripts.sample.sheet import Sheet, Style

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "pipelines/data/sample/source"
OLDER_SOURCES = ROOT / "tests/data/sample_older/source"
TARGETS = (
    (SOURCES, ROOT / "tests/data/sample_expected.json"),
    (OLDER_SOURCES, ROOT / "tests/data/sample_older/expected.json"),
)


@dataclass(frozen=True, slots=True)
class Section:
    """A built section: the name of its file, its bytes, and what a reader must find in it."""

    file: str
    data: bytes
    expected: dict[str, object]


def build(path: Path) -> Section:
    """Lay out the source file at ``path`` and write its PDF."""
    source = markup.read(path)
    style, blocks = Style(source.head), source.blocks
    first = len(frame.cover(source.head, style, blocks)) + 1
    flow = Flow(style, first)
    flow.place(blocks)
    sheets: list[Sheet] = frame.cover(source.head, style, blocks) + flow.sheets
    for sheet in sheets:
        frame.frame(sheet, source.head)
    faces = ("regular", "bold", "italic", "bolditalic")
    data = pdf.build(sheets, source.head, {face: style.ff(face) for face in faces})
    head = source.head
    name = head["name"].lower().replace(" - ", "_").replace(" ", "_")
    file = f"sample_{head['season']}_section_{head['section'].lower()}_{name}_iss_{head['issue']}_{head['date']}.pdf"
    return Section(file, data, truth.expected(source, file, sheets))


def build_all(sources: Path) -> list[Section]:
    """Build every source file in a folder, in the order of their names."""
    return [build(path) for path in sorted(sources.glob("*.reg"))]


def main() -> None:
    """Write the PDFs beside their sources and the truth into ``tests/data``."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for sources, target in TARGETS:
        sections = build_all(sources)
        for section in sections:
            (sources.parent / section.file).write_bytes(section.data)
            print(f"{section.file}: {len(section.data):,} bytes")
        text = json.dumps([section.expected for section in sections], ensure_ascii=False, indent=1)
        target.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
