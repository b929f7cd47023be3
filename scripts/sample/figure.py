"""The sample's one drawing: a wing profile in its reference box, with dimensions, as lines and labels."""

from __future__ import annotations

from scripts.sample.sheet import BLACK, NAVY, Look, Outline, Sheet

HEIGHT = 116.0
_LABELS = ((196.0, 112.0, "350"), (0.0, 56.0, "75"), (150.0, 66.0, "PROFILE"), (300.0, 26.0, "FIGURE 1"))


def draw(sheet: Sheet, x: float, y: float, label: Look) -> None:
    """Draw the profile with its top left corner at (x, y)."""
    left, top, right, bottom = x + 24.0, y + 14.0, x + 390.0, y + 90.0
    frame = ((left, top), (right, top), (right, bottom), (left, bottom))
    sheet.outlines.append(Outline(frame, NAVY, 0.8))
    upper = [(left + 6 + 20 * step, top + 46 - 1.9 * step * (14 - step) / 2.1) for step in range(15)]
    lower = [(left + 6 + 20 * step, top + 46 + 0.35 * step * (14 - step)) for step in range(14, -1, -1)]
    sheet.outlines.append(Outline(tuple(upper + lower), BLACK, 1.2))
    for x0, y0, x1, y1 in (
        (left, y + 98.0, right, y + 98.5),
        (left, y + 94.0, left + 0.5, y + 102.0),
        (right - 0.5, y + 94.0, right, y + 102.0),
        (x + 14.0, top, x + 14.5, bottom),
        (x + 10.0, top, x + 18.0, top + 0.5),
        (x + 10.0, bottom - 0.5, x + 18.0, bottom),
    ):
        sheet.box(x0, y0, x1, y1, BLACK)
    for dx, dy, text in _LABELS:
        sheet.text(x + dx, y + dy, text, label)
