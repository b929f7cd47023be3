"""Plots as inline SVG: drawn here, so that a report is one file that asks nothing of any network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_LABEL = 190
_PLOT = 420
_ROW = 26
_TOP = 34
_INK, _GRID, _BAR, _GHOST = "#1c1c1c", "#d8d8d8", "#b3122b", "#9aa3ad"


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a chart: a value from 0 to 1, its interval, and a second value to compare it with."""

    label: str
    value: float
    interval: tuple[float, float] | None = None
    other: float | None = None
    note: str = ""


def bars(title: str, rows: Sequence[Bar], *, other: str = "") -> str:
    """A chart of horizontal bars from 0 to 1, whiskers for the intervals, a tick for the value compared with.

    Args:
        title: what is shown; also the chart's accessible name.
        rows: from top to bottom.
        other: what the tick stands for, told under the title.
    """
    width, height = _LABEL + _PLOT + 130, _TOP + _ROW * len(rows) + 28
    parts = [
        f'<svg role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="12" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f'<text x="0" y="14" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    if other:
        parts.append(f'<text x="{width}" y="14" text-anchor="end" fill="{_GHOST}">| {escape(other)}</text>')
    bottom = _TOP + _ROW * len(rows)
    for tenth in range(0, 11, 2):
        x = _x(tenth / 10)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{_TOP - 4}" y2="{bottom}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{tenth / 10:.1f}</text>')
    for place, row in enumerate(rows):
        parts += _bar(row, _TOP + _ROW * place)
    return "".join([*parts, "</svg>"])


def _bar(row: Bar, top: int) -> list[str]:
    middle, base = top + 10, top + 14
    label = row.label if len(row.label) <= 30 else row.label[:29] + "…"
    parts = [
        f'<text x="{_LABEL - 8}" y="{base}" text-anchor="end">{escape(label)}</text>',
        f'<rect x="{_LABEL}" y="{top + 2}" width="{_x(row.value) - _LABEL:.1f}" height="16" fill="{_BAR}" '
        'fill-opacity="0.75"/>',
    ]
    if row.interval is not None:
        low, high = (_x(end) for end in row.interval)
        parts.append(f'<path d="M{low} {middle}H{high}M{low} {top + 5}v10M{high} {top + 5}v10" stroke="{_INK}"/>')
    if row.other is not None:
        x = _x(row.other)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{top}" y2="{top + 20}" stroke="{_GHOST}" stroke-width="3"/>')
    told = f"{row.value:.3f} {row.note}".strip()
    parts.append(f'<text x="{_LABEL + _PLOT + 8}" y="{base}">{escape(told)}</text>')
    return parts


def _x(value: float) -> float:
    return round(_LABEL + _PLOT * min(1.0, max(0.0, value)), 1)
