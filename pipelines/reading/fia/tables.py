"""The tables of a page: ruled grids and columns set by tab stops, with every glyph inside them in one cell.

Geometry is in ``tables_grid`` and ``tables_aligned``, a cell's words in ``tables_text``, Markdown in ``tables_model``,
page breaks in ``tables_join``. Callers need this module alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pipelines.reading.fia.page import Glyph, Page, Rule
from pipelines.reading.fia.tables_aligned import Row, column_edges, find_aligned, row_borders
from pipelines.reading.fia.tables_grid import Area, Grid, Stroke, find_grids
from pipelines.reading.fia.tables_join import continues, join
from pipelines.reading.fia.tables_model import Cell, Table
from pipelines.reading.fia.tables_text import cell_text

__all__ = ["Cell", "Table", "continues", "find_tables", "join", "join_all"]

# Page furniture, where it is not marked yet, stands in these parts of the page's height.
_HEADER = 0.085
_FOOTER = 0.91
# Points that a glyph's middle may lie outside the grid's outer border.
_OVER = 1.0
# Points beyond the edge of a shaded box at which its neighbour is looked at.
_BESIDE = 2.5
# A shade this light is paper.
_PAPER = 0xFA


def find_tables(page: Page) -> list[Table]:
    """The tables of one page, top to bottom, those side by side left to right.

    A table has at least two columns and words in at least two cells of its own. Every glyph inside its box is in
    exactly one cell, but for those that are struck, hidden or dropped (``Glyph.drop``) as page furniture; white space
    may be marked as dropped or not. Rows and columns without words in force are left out. The page is not changed.
    """
    grids = find_grids(_drawn_rules(page), _shade_edges(page))
    tables = [table for table in (_ruled(page, grid) for grid in grids) if table is not None]
    boxes = [(table.x0, table.y0, table.x1, table.y1) for table in tables]
    tables += [_aligned(page, run) for run in find_aligned(page, boxes)]
    tables.sort(key=lambda table: (table.y0, table.x0))
    for table in tables:
        table.leads, table.trails = _alone(page, table, tables)
    return tables


def join_all(tables: Sequence[Table]) -> list[Table]:
    """The tables of a document in page order, each one that a page break cuts joined to its rest."""
    joined: list[Table] = []
    for table in tables:
        for index in range(len(joined) - 1, -1, -1):
            if continues(joined[index], table):
                joined[index] = join(joined[index], table)
                break
        else:
            joined.append(table)
    return joined


def _visible(glyph: Glyph) -> bool:
    return not glyph.hidden and glyph.drop in ("", "white_space", "struck")


def _in_force(glyph: Glyph) -> bool:
    return not glyph.struck and not glyph.hidden and glyph.drop in ("", "white_space")


def _drawn_rules(page: Page) -> list[Rule]:
    """The page's rules without those that strike words out."""
    struck = [glyph for glyph in page.glyphs if glyph.struck and glyph.upright]

    def strikes(rule: Rule) -> bool:
        return rule.horizontal and any(
            rule.x0 - _OVER <= (glyph.x0 + glyph.x1) / 2 <= rule.x1 + _OVER
            and glyph.baseline - 0.6 * glyph.size <= rule.y0 <= glyph.baseline - 0.1 * glyph.size
            for glyph in struck
        )

    return [rule for rule in page.rules if not strikes(rule)] if struck else page.rules


def _shade_edges(page: Page) -> list[Stroke]:
    """The level edges of shaded boxes where the shade changes. A page without upright rules has no need of them."""
    if not any(not rule.horizontal for rule in page.rules):
        return []
    edges = []
    for x0, y0, x1, y1, color in page.fills:
        if _is_paper(color) or y1 - y0 < 2 * _BESIDE:
            continue
        for y, outside in ((y0, y0 - _BESIDE), (y1, y1 + _BESIDE)):
            if _shade_at(page, (x0 + x1) / 2, outside) != color:
                edges.append(Stroke(y, x0, x1))
    return edges


def _ruled(page: Page, grid: Grid) -> Table | None:
    """The table in a grid, or None when fewer than two cells hold words or no row has two cells."""
    contents = _assign(page, grid)
    cells = [
        Cell(
            area.row,
            area.col,
            area.row_span,
            area.col_span,
            [glyph for glyph in glyphs if _in_force(glyph)],
            cell_text(glyphs),
        )
        for area, glyphs in zip(grid.areas, contents, strict=True)
    ]
    worded = [cell for cell in cells if cell.text]
    if len(worded) < 2 or len({cell.col for cell in worded}) < 2:
        return None
    shades = {id(cell): _shade(page, grid, area) for cell, area in zip(cells, grid.areas, strict=True)}
    rows, edges, header_rows = _compact(cells, grid, shades)
    return Table(
        page=page.number,
        x0=grid.xs[0],
        y0=grid.ys[0],
        x1=grid.xs[-1],
        y1=grid.ys[-1],
        rows=rows,
        header_rows=header_rows,
        edges=edges,
        page_end=page.number,
        boxes={page.number: (grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1])},
    )


def _assign(page: Page, grid: Grid) -> list[list[Glyph]]:
    """The visible glyphs of each area in content order, struck ones among them; a word is never cut in two."""
    owner = {
        (row, col): index
        for index, area in enumerate(grid.areas)
        for row in range(area.row, area.row + area.row_span)
        for col in range(area.col, area.col + area.col_span)
    }
    contents: list[list[Glyph]] = [[] for _ in grid.areas]
    for word in _words(page, grid):
        votes: dict[int, float] = {}
        for glyph in word:
            row = _place(grid.ys, (glyph.y0 + glyph.y1) / 2)
            col = _place(grid.xs, (glyph.x0 + glyph.x1) / 2)
            index = owner[row, col]
            votes[index] = votes.get(index, 0.0) + 1.0
        contents[max(votes, key=lambda index: votes[index])] += word
    return contents


def _words(page: Page, grid: Grid) -> list[list[Glyph]]:
    """The page's visible glyphs within the grid, cut in content order at white space and at every jump."""
    left, right = grid.xs[0] - _OVER, grid.xs[-1] + _OVER
    top, bottom = grid.ys[0] - _OVER, grid.ys[-1] + _OVER
    words: list[list[Glyph]] = []
    previous: Glyph | None = None
    for glyph in page.glyphs:
        if not _visible(glyph):
            continue
        x, y = (glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2
        if not (left <= x <= right and top <= y <= bottom):
            previous = None
            continue
        if previous is None or glyph.raw.isspace() or previous.raw.isspace() or not _follows(previous, glyph):
            words.append([])
        words[-1].append(glyph)
        previous = glyph
    return words


def _follows(left: Glyph, right: Glyph) -> bool:
    """True when the right glyph is set directly after the left one on its line."""
    size = max(left.size, right.size)
    if left.upright and right.upright:
        return abs(right.baseline - left.baseline) < 0.6 * size and abs(right.x0 - left.x1) < 0.3 * size
    return left.upright == right.upright and abs(right.x0 - left.x0) < 1.0


def _place(borders: Sequence[float], position: float) -> int:
    """Index of the interval between borders that holds a position, the nearest one for a position outside."""
    for index, (_, end) in enumerate(pairwise(borders)):
        if position < end:
            return index
    return len(borders) - 2


def _compact(
    cells: list[Cell], grid: Grid, shades: dict[int, int | None]
) -> tuple[list[list[Cell]], tuple[float, ...], int]:
    """Rows, column borders and the number of header rows, less the rows and columns that carry no words.

    A table without a header keeps its blank columns: they hold their place in the table that it may continue. White
    space of what is left out goes to the cell before it.
    """
    rows = _needed([(cell.row, cell.row_span) for cell in cells if cell.text])
    kept = [cell for cell in cells if _recount_rows(cell, rows)]
    by_row = [[cell for cell in kept if cell.row == row] for row in range(len(rows))]
    header_rows = _header_rows(by_row, shades)
    cols = _needed([(cell.col, cell.col_span) for cell in kept if cell.text or not header_rows])
    kept = [cell for cell in kept if _recount_cols(cell, cols)]
    by_row = [sorted((cell for cell in kept if cell.row == row), key=lambda cell: cell.col) for row in range(len(rows))]
    edges = (*(grid.xs[col] for col in cols), grid.xs[-1])
    staying = {id(cell) for cell in kept}
    before = kept[0]
    for cell in cells:
        if id(cell) in staying:
            before = cell
        else:
            before.glyphs += cell.glyphs
    return by_row, edges, header_rows


def _needed(runs: list[tuple[int, int]]) -> list[int]:
    """The fewest places, in ascending order, such that every run (start, length) covers one: narrow runs first."""
    places: set[int] = set()
    for start, length in sorted(runs, key=lambda run: run[1]):
        if not any(place in places for place in range(start, start + length)):
            places.add(start)
    return sorted(places)


def _recount_rows(cell: Cell, rows: list[int]) -> bool:
    """Count a cell's place in the rows that are kept; False when it covers none of them."""
    covered = [index for index, row in enumerate(rows) if cell.row <= row < cell.row + cell.row_span]
    if covered:
        cell.row, cell.row_span = covered[0], len(covered)
    return bool(covered)


def _recount_cols(cell: Cell, cols: list[int]) -> bool:
    """Count a cell's place in the columns that are kept; False when it covers none of them."""
    covered = [index for index, col in enumerate(cols) if cell.col <= col < cell.col + cell.col_span]
    if covered:
        cell.col, cell.col_span = covered[0], len(covered)
    return bool(covered)


def _shade(page: Page, grid: Grid, area: Area) -> int | None:
    """The colour painted behind an area, or None for paper."""
    x = (grid.xs[area.col] + grid.xs[area.col + area.col_span]) / 2
    y = (grid.ys[area.row] + grid.ys[area.row + area.row_span]) / 2
    shade = _shade_at(page, x, y)
    return None if shade is None or _is_paper(shade) else shade


def _shade_at(page: Page, x: float, y: float) -> int | None:
    """The colour of the topmost shaded box at a point."""
    for x0, y0, x1, y1, color in reversed(page.fills):
        if x0 <= x <= x1 and y0 <= y <= y1:
            return color
    return None


def _is_paper(color: int) -> bool:
    return min(color >> 16, color >> 8 & 0xFF, color & 0xFF) >= _PAPER


def _header_rows(rows: list[list[Cell]], shades: dict[int, int | None]) -> int:
    """How many rows from the top are header: all their words bold or light on one shade, or bold on paper."""
    shade = next((shades[id(cell)] for cell in rows[0] if cell.text), None)
    header = 0
    for index, row in enumerate(rows):
        worded = [cell for cell in row if cell.text]
        if not all(shades[id(cell)] == shade and _stands_out(cell, shade) for cell in worded):
            break
        header = max([header, index + 1, *(cell.row + cell.row_span for cell in worded)])
    return header if header < len(rows) else 0


def _stands_out(cell: Cell, shade: int | None) -> bool:
    """True for a cell in bold, or on a shade in a colour lighter than it."""
    inked = [glyph for glyph in cell.glyphs if not glyph.raw.isspace()]
    strong = sum(glyph.bold or (shade is not None and _light(glyph.color) > _light(shade)) for glyph in inked)
    return 2 * strong > len(inked)


def _light(color: int) -> int:
    return (color >> 16) + (color >> 8 & 0xFF) + (color & 0xFF)


def _aligned(page: Page, run: list[Row]) -> Table:
    """The table of list items set in columns. It has no header."""
    edges, borders = column_edges(run), row_borders(run)
    rows = [
        [Cell(row, col, 1, 1, glyphs, cell_text(glyphs)) for col, glyphs in enumerate(columns)]
        for row, columns in enumerate(run)
    ]
    box = (edges[0], borders[0], edges[-1], borders[-1])
    return Table(page.number, *box, rows, 0, tuple(edges), page.number, ruled=False, boxes={page.number: box})


def _alone(page: Page, table: Table, tables: list[Table]) -> tuple[bool, bool]:
    """Whether nothing but page furniture, and tables to its left and right, stands above, and below, a table."""
    beside = [
        (other.x0 - _OVER, other.y0 - _OVER, other.x1 + _OVER, other.y1 + _OVER)
        for other in tables
        if other.x1 <= table.x0 or table.x1 <= other.x0
    ]
    leads = trails = True
    for glyph in page.glyphs:
        if glyph.raw.isspace() or not _in_force(glyph):
            continue
        y = (glyph.y0 + glyph.y1) / 2
        if table.y0 <= y <= table.y1 or not _HEADER * page.height < y < _FOOTER * page.height:
            continue
        x = (glyph.x0 + glyph.x1) / 2
        if any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in beside):
            continue
        if y < table.y0:
            leads = False
        else:
            trails = False
    return leads, trails
