"""Glyphs that are no words of the page: painted twice, not painted at all, or dots to be written over."""

from __future__ import annotations

from collections import defaultdict

from pipelines.reading.fia.page import Glyph, Page

# Points within which the same character at the same size is painted over itself.
_SAME = 0.6
# A run of at least this many dots is a blank to fill in.
_ELLIPSES = 3
_DOTS = 6


def drop_layers(page: Page) -> None:
    """Mark hidden glyphs and second copies as ``duplicate_layer``, and dotted lines of forms as ``blank``."""
    _drop_copies(page)
    _drop_blanks(page)


def _drop_copies(page: Page) -> None:
    kept: dict[tuple[str, int], list[Glyph]] = defaultdict(list)
    for glyph in page.glyphs:
        if glyph.hidden:
            glyph.drop = "duplicate_layer"
            continue
        if glyph.glyph_id < 0 or glyph.raw.isspace():
            continue
        row = kept[glyph.raw, round(glyph.baseline)]
        x0 = glyph.x0
        for other in row:
            if -_SAME < other.x0 - x0 < _SAME and abs(other.size - glyph.size) < _SAME:
                glyph.drop = "duplicate_layer"
                break
        else:
            row.append(glyph)


def _drop_blanks(page: Page) -> None:
    run: list[Glyph] = []
    for glyph in [*page.glyphs, None]:
        if glyph is not None and glyph.raw in "….":
            run.append(glyph)
            continue
        if sum(dot.raw == "…" for dot in run) >= _ELLIPSES or len(run) >= _DOTS:
            for dot in run:
                dot.drop = dot.drop or "blank"
        run = []
