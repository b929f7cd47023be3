"""The sample's one drawing: a wing profile in its reference box, a picture with its dimensions set over it as text."""

from __future__ import annotations

import pymupdf

from scripts.sample.sheet import Box, Look, Picture, Sheet

WIDTH, HEIGHT = 400, 120
_SCALE = 2
_LABELS = ((196.0, 112.0, "350"), (5.0, 56.0, "75"), (150.0, 66.0, "PROFILE"), (300.0, 26.0, "FIGURE 1"))


def draw(sheet: Sheet, x: float, y: float, label: Look) -> None:
    """Put the drawing on a sheet with its top left corner at (x, y)."""
    columns, rows = WIDTH * _SCALE, HEIGHT * _SCALE
    sheet.shapes.append(Picture(Box(x, y, x + WIDTH, y + HEIGHT, 0), columns, rows, _samples()))
    for dx, dy, text in _LABELS:
        sheet.text(x + dx, y + dy, text, label)


def _samples() -> bytes:
    """The drawing as grey bytes, row by row."""
    page = pymupdf.open().new_page(width=WIDTH, height=HEIGHT)
    left, top, right, bottom = 26.0, 14.0, 390.0, 90.0
    page.draw_rect(pymupdf.Rect(left, top, right, bottom), width=0.8)
    upper = [(left + 6 + 25 * step, top + 46 - 0.9 * step * (14 - step)) for step in range(15)]
    lower = [(left + 6 + 25 * step, top + 46 + 0.35 * step * (14 - step)) for step in range(14, -1, -1)]
    page.draw_polyline([pymupdf.Point(*point) for point in upper + lower], width=1.2)
    for start, end in (
        ((left, 98), (right, 98)),
        ((left, 94), (left, 102)),
        ((right, 94), (right, 102)),
        ((18, top), (18, bottom)),
        ((14, top), (22, top)),
        ((14, bottom), (22, bottom)),
    ):
        page.draw_line(pymupdf.Point(*start), pymupdf.Point(*end), width=0.6)
    scale = pymupdf.Matrix(_SCALE, _SCALE)
    return bytes(page.get_pixmap(matrix=scale, colorspace=pymupdf.csGRAY, alpha=False).samples)
