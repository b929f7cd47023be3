"""A PDF page's glyphs, rules, shaded boxes and images, read from MuPDF without any reading of their meaning."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pymupdf

from pipelines.reading.fia.page import Glyph, Page, Rule

_FONT_ITALIC = 2
_FONT_BOLD = 16
# A filled rectangle at most this thick, in points, is a ruled line and no shaded box.
_THIN = 2.2
# A line up to this many type sizes long may strike white space alone.
_LONE = 4.0
_INVISIBLE = 3  # render mode of a text layer behind a scan


def load_pages(document: pymupdf.Document) -> list[Page]:
    """Read every page of an open, unlocked document.

    Returns:
        One page per PDF page, in order; coordinates are points from the top left corner of the page.
    """
    return [load_page(document[index]) for index in range(document.page_count)]


def load_page(source: pymupdf.Page) -> Page:
    """Read one page: its glyphs in content order, ruled lines, shaded boxes, images and other drawings."""
    page = Page(
        number=source.number + 1,
        width=source.rect.width,
        height=source.rect.height,
        glyphs=_glyphs(source),
        images=[tuple(info["bbox"]) for info in source.get_image_info()],
    )
    _read_drawings(source, page)
    _strike(page)
    return page


def _glyphs(source: pymupdf.Page) -> list[Glyph]:
    number = source.number + 1
    glyphs: list[Glyph] = []
    for span in source.get_texttrace():
        font, size, flags = span["font"], span["size"], span["flags"]
        bold = bool(flags & _FONT_BOLD) or "Bold" in font
        italic = bool(flags & _FONT_ITALIC) or "Italic" in font or "Oblique" in font
        color = _rgb(span["color"])
        upright = span["dir"][0] > 0.99
        hidden = span["type"] == _INVISIBLE or span["opacity"] == 0
        for code, glyph_id, (_, y), (x0, y0, x1, y1) in span["chars"]:
            raw = chr(code) if code > 0 else "�"
            if glyph_id < 0 and glyphs and not raw.isspace():
                before = glyphs[-1]  # a further letter of the ligature that this glyph draws
                x0, x1 = (before.x0 + before.x1) / 2, before.x1
            glyphs.append(
                Glyph(
                    raw=raw,
                    text=raw,
                    page=number,
                    x0=x0,
                    y0=y0,
                    x1=x1,
                    y1=y1,
                    baseline=y,
                    font=font,
                    size=size,
                    bold=bold,
                    italic=italic,
                    color=color,
                    struck=False,
                    glyph_id=glyph_id,
                    upright=upright,
                    hidden=hidden,
                )
            )
    return glyphs


def _rgb(color: Any) -> int:
    """A MuPDF colour of one, three or four parts from 0 to 1 as 0xRRGGBB."""
    if color is None:
        return 0
    if isinstance(color, float | int):
        color = (color,)
    parts = [min(1.0, max(0.0, float(part))) for part in color]
    if len(parts) == 1:
        parts = parts * 3
    elif len(parts) == 4:
        black = 1 - parts[3]
        parts = [(1 - part) * black for part in parts[:3]]
    red, green, blue = (round(part * 255) for part in parts[:3])
    return red << 16 | green << 8 | blue


def _read_drawings(source: pymupdf.Page, page: Page) -> None:
    """Sort the page's vector drawings into rules, shaded boxes and other drawings."""
    for path in source.get_cdrawings():
        fill = path.get("fill") if "f" in path["type"] else None
        stroke = path.get("color") if "s" in path["type"] else None
        width = float(path.get("width") or 0.0)
        other = False
        for item in path["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
                if abs(y1 - y0) <= 0.5 or abs(x1 - x0) <= 0.5:
                    if stroke is not None:
                        _add_rule(page, x0, y0, x1, y1, _rgb(stroke), width)
                else:
                    other = True
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
                _add_rectangle(page, (x0, y0, x1, y1), fill, stroke, width)
            elif item[0] == "qu":
                corners = item[1]
                xs, ys = [point[0] for point in corners], [point[1] for point in corners]
                _add_rectangle(page, (min(xs), min(ys), max(xs), max(ys)), fill, stroke, width)
            else:
                other = True
        if other:
            page.drawings.append(tuple(path["rect"]))


def _add_rectangle(page: Page, box: tuple[float, float, float, float], fill: Any, stroke: Any, width: float) -> None:
    x0, y0, x1, y1 = box
    if fill is not None:
        if y1 - y0 <= _THIN and x1 - x0 > y1 - y0:
            middle = (y0 + y1) / 2
            _add_rule(page, x0, middle, x1, middle, _rgb(fill), y1 - y0)
        elif x1 - x0 <= _THIN:
            middle = (x0 + x1) / 2
            _add_rule(page, middle, y0, middle, y1, _rgb(fill), x1 - x0)
        else:
            page.fills.append((x0, y0, x1, y1, _rgb(fill)))
    if stroke is not None:
        color = _rgb(stroke)
        for ax, ay, bx, by in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
            _add_rule(page, ax, ay, bx, by, color, width)


def _add_rule(page: Page, x0: float, y0: float, x1: float, y1: float, color: int, width: float) -> None:
    page.rules.append(Rule(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), color, width))


def _strike(page: Page) -> None:
    """Mark as struck what a thin level line crosses in its middle.

    MuPDF's own flag, which costs another reading of the page, is set for a glyph that a line only touches and misses
    the second of two lines.
    """
    lines: dict[int, list[Rule]] = defaultdict(list)
    for rule in page.rules:
        if rule.horizontal and rule.width <= _THIN:
            lines[round(rule.y0)].append(rule)
    strikes: set[int] = set()
    for words in (True, False):  # a long line strikes white space only if it strikes a word: it may part the page
        for glyph in page.glyphs if lines else ():
            if not glyph.upright or glyph.raw.isspace() is words:
                continue
            crossing = _crossing(glyph, lines)
            if not words:
                longest = _LONE * glyph.size
                crossing = [rule for rule in crossing if id(rule) in strikes or rule.x1 - rule.x0 <= longest]
            if crossing:
                glyph.struck = True
                strikes.update(id(rule) for rule in crossing)


def _crossing(glyph: Glyph, lines: dict[int, list[Rule]]) -> list[Rule]:
    """The level rules through a glyph's middle, from a sixth to under half of its size up: no underlines."""
    top, bottom = glyph.baseline - 0.45 * glyph.size, glyph.baseline - 0.17 * glyph.size
    rows = [lines[y] for y in range(int(top), int(bottom) + 2) if y in lines]
    if not rows:
        return []
    middle = (glyph.x0 + glyph.x1) / 2
    return [rule for row in rows for rule in row if rule.x0 <= middle <= rule.x1 and top <= rule.y0 <= bottom]
