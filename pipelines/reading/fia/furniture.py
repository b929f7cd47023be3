"""What is printed on the pages but is no regulation: headers, footers, corner letters, the cover and the contents."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from pipelines.reading.fia.page import Glyph, Page

# The parts of a page's height within which headers and footers stand.
_HEADER = 0.09
_FOOTER = 0.905
# A corner letter is at least this large, in points; a page number of the contents ends right of this part of the width.
_CORNER = 24.0
_RIGHT = 0.85
# A band's text that stands on this part of the pages (and at least twice) is furniture.
_REPEATED = 0.3
# Contents end when fewer than this many rows of a page end in a page number.
_FEWEST_ROWS = 2
_LAST_PAGE_OF_CONTENTS = 12

_PATTERNS = re.compile(
    r"^(SECTION [A-Z]\b.*|©.*|\d{4} (FIA )?Formula (1|One)\b.*|Issue \d+|\d{1,2} [A-Z][a-z]+ \d{4})$"
)
_PAGE_NUMBER = re.compile(r"^\d{1,3}$")
_BODY = re.compile(r"^(ARTICLE|APPENDIX|PREAMBLE|CHAPTER|SECTION)\b", re.IGNORECASE)
_CONTENTS = re.compile(r"^(TABLE OF )?CONTENTS\b", re.IGNORECASE)


@dataclass(slots=True)
class _Row:
    """Glyphs on one baseline, left to right."""

    baseline: float
    glyphs: list[Glyph]

    @property
    def text(self) -> str:
        return " ".join("".join(glyph.text for glyph in self.glyphs).split())

    @property
    def number(self) -> str:
        """The page number that ends a row of the contents, set at the right edge after a gap; "" without one."""
        inked = [glyph for glyph in self.glyphs if not glyph.raw.isspace()]
        last = len(inked)
        while last and inked[last - 1].raw.isdigit():
            if last < len(inked) and inked[last].x0 - inked[last - 1].x1 > inked[last].size:
                break
            last -= 1
        digits = inked[last:]
        if not digits or not last:
            return ""
        before = inked[last - 1]
        apart = digits[0].x0 - before.x1 > digits[0].size or before.raw in "….·"
        number = "".join(glyph.raw for glyph in digits)
        return number if apart and _PAGE_NUMBER.match(number) else ""


def drop_furniture(pages: list[Page]) -> None:
    """Mark headers, footers, the cover with its legend, and the contents in ``Glyph.drop``."""
    _drop_bands(pages)
    _drop_front(pages)


def _drop_bands(pages: list[Page]) -> None:
    """Headers and footers: what repeats in the top and bottom bands of the pages, or has the look of it."""
    found: list[tuple[str, str, list[Glyph]]] = []
    seen: Counter[tuple[str, str]] = Counter()
    for page in pages:
        runs = [
            (band, re.sub(r"\d+", "#", "".join(glyph.text for glyph in run)).strip(), run)
            for band, glyphs in _bands(page)
            for run in _runs(glyphs)
        ]
        seen.update({(band, key) for band, key, _ in runs})
        found += runs
    enough = max(2.0, _REPEATED * len(pages))
    for band, key, run in found:
        text = " ".join("".join(glyph.text for glyph in run).split())
        corner = band == "header" and max(glyph.size for glyph in run) >= _CORNER
        if seen[band, key] >= enough or corner or _PATTERNS.match(text):
            for glyph in run:
                glyph.drop = band


def _bands(page: Page) -> list[tuple[str, list[Glyph]]]:
    header = [glyph for glyph in page.glyphs if glyph.baseline < _HEADER * page.height]
    footer = [glyph for glyph in page.glyphs if glyph.baseline > _FOOTER * page.height]
    return [("header", header), ("footer", footer)]


def _runs(glyphs: list[Glyph]) -> list[list[Glyph]]:
    """Glyphs in content order, cut where the baseline or the size changes."""
    runs: list[list[Glyph]] = []
    for glyph in glyphs:
        last = runs[-1][-1] if runs else None
        if last is None or abs(last.baseline - glyph.baseline) > 1 or abs(last.size - glyph.size) > 1:
            runs.append([])
        runs[-1].append(glyph)
    return runs


def _rows(page: Page) -> list[_Row]:
    """The rows of a page that no other part of the furniture has, top to bottom."""
    rows: list[_Row] = []
    for glyph in sorted((glyph for glyph in page.glyphs if not glyph.drop), key=lambda glyph: glyph.baseline):
        if not rows or glyph.baseline - rows[-1].baseline > 2:
            rows.append(_Row(glyph.baseline, []))
        rows[-1].glyphs.append(glyph)
    for row in rows:
        row.glyphs.sort(key=lambda glyph: glyph.x0)
    return rows


def _drop_front(pages: list[Page]) -> None:
    """The cover with its legend, and the contents: from the first page to the last row that ends in a page number."""
    contents: list[tuple[Page, list[_Row]]] = []
    for page in pages[:_LAST_PAGE_OF_CONTENTS]:
        rows = [row for row in _rows(page) if _ends_in_number(row, page)]
        if len(rows) >= _FEWEST_ROWS and (not contents or contents[-1][0].number == page.number - 1):
            contents.append((page, rows))
        elif contents or page.number > 3:
            break
    if not contents:
        _drop_cover(pages[:2])
        return
    first, last = contents[0], contents[-1]
    for page in pages[: last[0].number]:
        for row in _rows(page):
            if page is last[0] and row.baseline > last[1][-1].baseline + 1:
                continue
            before = (page.number, row.baseline) < (first[0].number, first[1][0].baseline - 1)
            name = "cover_and_legend" if before and not _CONTENTS.match(row.text) else "contents"
            for glyph in row.glyphs:
                glyph.drop = name


def _ends_in_number(row: _Row, page: Page) -> bool:
    inked = [glyph for glyph in row.glyphs if not glyph.raw.isspace()]
    return bool(inked) and inked[-1].x1 > _RIGHT * page.width and row.number != ""


def _drop_cover(pages: list[Page]) -> None:
    """Without contents, the cover ends where the first heading of the body stands."""
    starts = [
        (page.number, row.baseline) for page in pages for row in _rows(page) if _BODY.match(row.text) and _dark(row)
    ]
    for page in pages:
        for row in _rows(page):
            if starts and (page.number, row.baseline) < starts[0]:
                for glyph in row.glyphs:
                    glyph.drop = "cover_and_legend"


def _dark(row: _Row) -> bool:
    """False for a row in white or nearly so, as the title on the cover's bar."""
    color = next((glyph.color for glyph in row.glyphs if not glyph.raw.isspace()), 0)
    return max(color >> 16, color >> 8 & 0xFF, color & 0xFF) < 0xF0
