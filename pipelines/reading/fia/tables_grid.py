"""Grids out of a page's rules: which strokes frame a table, its row and column borders, and the boxes of its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.reading.fia.page import Rule

# Points. Borders drawn twice, or a stroke's width apart, are one; a stroke that stops this far from another touches it.
_SAME = 2.2
_TOUCH = 3.0
# A shorter upright stroke frames no row of text: it is a corner, a tick or an arrow.
_SHORTEST = 4.0
# Two grids no further apart than this, too close for a line of text between them, are the parts of one.
_PARTED = 6.0
# This much of the side between two neighbours must be ruled for them to be two cells.
_RULED = 0.6


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight stroke: the coordinate that it keeps (``at``) and the run it covers along the other axis."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Area:
    """A cell's place in a grid: first row and column, and how many of each it covers."""

    row: int
    col: int
    row_span: int
    col_span: int


@dataclass(frozen=True, slots=True)
class Grid:
    """A frame of ruled rows and columns: its borders in ascending order and the areas that tile it."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    areas: tuple[Area, ...]


def find_grids(rules: Sequence[Rule], shade_edges: Sequence[Stroke] = ()) -> list[Grid]:
    """The grids that a page's rules draw, top to bottom, with at least two areas side by side.

    A line under words ends at no upright stroke and so frames nothing; neither does a lone box or bar. A table that a
    page break cuts may lack its top or bottom stroke: its upright strokes then end together there.

    Args:
        rules: the page's rules without those that strike words out.
        shade_edges: level edges at which the shade of the paper changes; they part rows as a rule does.
    """
    upright = _merge(Stroke(rule.x0, rule.y0, rule.y1) for rule in rules if not rule.horizontal)
    upright = [stroke for stroke in upright if stroke.end - stroke.start >= _SHORTEST]
    if len(upright) < 2:
        return []
    level = _merge([Stroke(rule.y0, rule.x0, rule.x1) for rule in rules if rule.horizontal] + list(shade_edges))
    level, upright = _framing(level, upright)
    grids = [_grid(*part) for part in _unite(list(_components(level, upright)))]
    found = [grid for grid in grids if grid is not None]
    return sorted(found, key=lambda grid: (grid.ys[0], grid.xs[0]))


def _merge(strokes: Iterable[Stroke]) -> list[Stroke]:
    """Join the pieces of a stroke that stand in one line and touch, as a border is drawn cell by cell."""
    merged: list[Stroke] = []
    for line in _clusters(strokes):
        line.sort(key=lambda stroke: stroke.start)
        at = sum(stroke.at for stroke in line) / len(line)
        start, end = line[0].start, line[0].end
        for stroke in line[1:]:
            if stroke.start <= end + _SAME:
                end = max(end, stroke.end)
            else:
                merged.append(Stroke(at, start, end))
                start, end = stroke.start, stroke.end
        merged.append(Stroke(at, start, end))
    return merged


def _clusters(strokes: Iterable[Stroke]) -> Iterator[list[Stroke]]:
    """Groups of strokes that keep the same coordinate, within a stroke's width of the group's first."""
    group: list[Stroke] = []
    for stroke in sorted(strokes, key=lambda stroke: stroke.at):
        if group and stroke.at - group[0].at > _SAME:
            yield group
            group = []
        group.append(stroke)
    if group:
        yield group


def _touches(level: Stroke, upright: Stroke) -> bool:
    return (
        level.start - _TOUCH <= upright.at <= level.end + _TOUCH
        and upright.start - _TOUCH <= level.at <= upright.end + _TOUCH
    )


def _framing(level: list[Stroke], upright: list[Stroke]) -> tuple[list[Stroke], list[Stroke]]:
    """Leave out, until nothing changes, level strokes that end in the open and uprights that touch no level stroke."""
    while True:
        kept_level = [
            stroke for stroke in level if _met(stroke, stroke.start, upright) and _met(stroke, stroke.end, upright)
        ]
        kept_upright = [stroke for stroke in upright if any(_touches(other, stroke) for other in kept_level)]
        if len(kept_level) == len(level) and len(kept_upright) == len(upright):
            return level, upright
        level, upright = kept_level, kept_upright


def _met(level: Stroke, end: float, upright: list[Stroke]) -> bool:
    """True when an upright stroke stands at this end of a level stroke."""
    return any(abs(stroke.at - end) <= _TOUCH and _touches(level, stroke) for stroke in upright)


def _components(level: list[Stroke], upright: list[Stroke]) -> Iterator[tuple[list[Stroke], list[Stroke]]]:
    """Sets of strokes that hang together."""
    rest_level, rest_upright = list(level), list(upright)
    while rest_level:
        part_level, part_upright = [rest_level.pop()], list[Stroke]()
        queue: list[tuple[bool, Stroke]] = [(True, part_level[0])]
        while queue:
            is_level, stroke = queue.pop()
            if is_level:
                near = [other for other in rest_upright if _touches(stroke, other)]
                rest_upright = [other for other in rest_upright if other not in near]
                part_upright += near
            else:
                near = [other for other in rest_level if _touches(other, stroke)]
                rest_level = [other for other in rest_level if other not in near]
                part_level += near
            queue += [(not is_level, other) for other in near]
        yield part_level, part_upright


def _unite(parts: list[tuple[list[Stroke], list[Stroke]]]) -> list[tuple[list[Stroke], list[Stroke]]]:
    """Put a header that stands a little apart to the body below it, whose column borders it shares."""
    parts.sort(key=lambda part: min(stroke.at for stroke in part[0]))
    united: list[tuple[list[Stroke], list[Stroke]]] = []
    for level, upright in parts:
        for above_level, above_upright in united:
            gap = min(stroke.at for stroke in level) - max(stroke.at for stroke in above_level)
            if 0 <= gap <= _PARTED and _share_borders(above_upright, upright):
                above_level += level
                above_upright += upright
                break
        else:
            united.append((level, upright))
    return united


def _share_borders(above: list[Stroke], below: list[Stroke]) -> bool:
    """True when every upright position of the one with fewer is a position of the other."""
    few, many = sorted((_borders([s.at for s in above]), _borders([s.at for s in below])), key=len)
    return all(any(abs(at - other) <= _SAME for other in many) for at in few)


def _grid(level: list[Stroke], upright: list[Stroke]) -> Grid | None:
    """The grid that one set of strokes draws, or None when it has no two areas side by side."""
    xs = _borders([stroke.at for stroke in upright])
    top = min(stroke.start for stroke in upright)
    bottom = max(stroke.end for stroke in upright)
    ys = _borders([stroke.at for stroke in level])
    if top < ys[0] - _TOUCH:
        ys.insert(0, top)
    if bottom > ys[-1] + _TOUCH:
        ys.append(bottom)
    if len(xs) < 3 or len(ys) < 2:
        return None
    areas = _areas(xs, ys, level, upright)
    if not any(area.col_span < len(xs) - 1 for area in areas):
        return None
    return Grid(tuple(xs), tuple(ys), tuple(areas))


def _borders(positions: list[float]) -> list[float]:
    """Distinct positions in ascending order; those within a stroke's width of one another are one."""
    return [
        sum(stroke.at for stroke in group) / len(group) for group in _clusters(Stroke(at, 0, 0) for at in positions)
    ]


def _areas(xs: list[float], ys: list[float], level: list[Stroke], upright: list[Stroke]) -> list[Area]:
    """Tile the grid: places with no stroke between them are one area, cut back to rectangles."""
    rows, cols = len(ys) - 1, len(xs) - 1
    open_right = [
        [not _ruled(upright, xs[col + 1], ys[row], ys[row + 1]) for col in range(cols - 1)] for row in range(rows)
    ]
    open_below = [
        [not _ruled(level, ys[row + 1], xs[col], xs[col + 1]) for col in range(cols)] for row in range(rows - 1)
    ]
    taken = [[False] * cols for _ in range(rows)]
    areas: list[Area] = []
    for row in range(rows):
        for col in range(cols):
            if taken[row][col]:
                continue
            col_span = 1
            while col + col_span < cols and open_right[row][col + col_span - 1] and not taken[row][col + col_span]:
                col_span += 1
            row_span = 1
            while row + row_span < rows and _extends(open_right, open_below, taken, row + row_span, col, col_span):
                row_span += 1
            for taken_row in range(row, row + row_span):
                taken[taken_row][col : col + col_span] = [True] * col_span
            areas.append(Area(row, col, row_span, col_span))
    return areas


def _extends(
    open_right: list[list[bool]], open_below: list[list[bool]], taken: list[list[bool]], row: int, col: int, span: int
) -> bool:
    """True when the area above goes on into ``row``: open over its whole width, and not wider or narrower there."""
    return (
        all(open_below[row - 1][col : col + span])
        and all(open_right[row][col : col + span - 1])
        and not any(taken[row][col : col + span])
        and not (col + span <= len(open_right[row]) and open_right[row][col + span - 1])
        and not (col > 0 and open_right[row][col - 1])
    )


def _ruled(strokes: list[Stroke], at: float, start: float, end: float) -> bool:
    """True when strokes cover most of the run from start to end at this position."""
    covered = sum(
        max(0.0, min(stroke.end, end) - max(stroke.start, start)) for stroke in strokes if abs(stroke.at - at) <= _SAME
    )
    return covered >= _RULED * (end - start)
