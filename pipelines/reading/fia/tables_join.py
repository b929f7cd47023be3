"""Tables that go on over a page break: whether one continues another, and the two as one."""

from __future__ import annotations

from dataclasses import replace

from pipelines.reading.fia.tables_model import Cell, Table

# Points within which two column borders are one.
_SAME = 4.0
# A column is a key when it is filled in this part of the body rows; a row that lacks this part of the keys is no row.
_FILLED = 0.8
_LACKING = 0.5


def continues(previous: Table, following: Table) -> bool:
    """True when ``following`` is the rest of ``previous`` on the next page.

    The one stands last on its page and the other first on the next, their outer borders agree, every column border of
    the coarser one is a border of the finer one, and the second has no header or the same header again.
    """
    if following.page != previous.page_end + 1 or not previous.trails or not following.leads:
        return False
    if not previous.ruled or not following.ruled:
        return False
    fine, coarse = sorted((previous.edges, following.edges), key=len, reverse=True)
    outer = abs(fine[0] - coarse[0]) <= _SAME and abs(fine[-1] - coarse[-1]) <= _SAME
    if not outer or not all(any(abs(edge - other) <= _SAME for other in fine) for edge in coarse):
        return False
    return following.header_rows == 0 or _header_words(previous) == _header_words(following)


def _header_words(table: Table) -> list[str]:
    return [cell.text for row in table.rows[: table.header_rows] for cell in row if cell.text]


def join(previous: Table, following: Table) -> Table:
    """One table out of a table and its rest on the next page; the two given are left as they are.

    A header that is printed again adds its glyphs to the first one's cells, which keep their words. A row that the page
    break cuts is one row again: its second half lacks what every row has. A cell that spans the rows on both sides of
    the break is one cell.
    """
    edges = max(previous.edges, following.edges, key=len)
    upper, lower = _copy(previous, edges), _copy(following, edges)
    header = [cell for row in upper[: previous.header_rows] for cell in row if cell.text]
    again = [cell for row in lower[: following.header_rows] for cell in row if cell.text]
    for cell, repeated in zip(header, again, strict=False):
        cell.glyphs += repeated.glyphs
    body = lower[following.header_rows :]
    shift = len(upper) - following.header_rows
    for cell in (cell for row in body for cell in row):
        cell.row += shift
    if body:
        _mend_cut(upper, body, previous.header_rows)
    rows = upper + body
    return Table(
        page=previous.page,
        x0=previous.x0,
        y0=previous.y0,
        x1=previous.x1,
        y1=previous.y1,
        rows=rows,
        header_rows=previous.header_rows,
        edges=edges,
        page_end=following.page_end,
        leads=previous.leads,
        trails=following.trails,
        ruled=previous.ruled,
        boxes={**previous.boxes, **following.boxes},
    )


def _copy(table: Table, edges: tuple[float, ...]) -> list[list[Cell]]:
    """The table's rows in new cells, their columns counted in the given borders."""

    def place(edge: float) -> int:
        return min(range(len(edges)), key=lambda index: abs(edges[index] - edge))

    rows = []
    for row in table.rows:
        cells = []
        for cell in row:
            col = place(table.edges[cell.col])
            span = place(table.edges[cell.col + cell.col_span]) - col
            cells.append(replace(cell, col=col, col_span=span, glyphs=list(cell.glyphs), parts=list(cell.parts)))
        rows.append(cells)
    return rows


def _mend_cut(upper: list[list[Cell]], body: list[list[Cell]], header_rows: int) -> None:
    """Put together what the page break cut between the last row above and the first row below."""
    last = len(upper) - 1
    above = {cell.col: cell for row in upper[header_rows:] for cell in row if cell.row + cell.row_span > last}
    pairs = [(above.get(cell.col), cell) for cell in body[0]]
    matched = all(over is not None and over.col_span == cell.col_span for over, cell in pairs if cell.text)
    if matched and _is_rest(upper[header_rows:], body[0]):
        for over, cell in pairs:
            if over is not None:
                _add(over, cell)
                over.row_span += cell.row_span - 1
        del body[0]
        for cell in (cell for row in body for cell in row):
            cell.row -= 1
        return
    for over, cell in pairs:
        if (
            over is not None
            and over.col_span == cell.col_span
            and not cell.text
            and max(over.row_span, cell.row_span) > 1
        ):
            over.glyphs += cell.glyphs
            over.row_span += cell.row_span
            body[0].remove(cell)


def _add(cell: Cell, rest: Cell) -> None:
    """Put the rest of a cell that the page break cut to its beginning."""
    if cell.text and rest.text:
        cell.parts = [*(cell.parts or [replace(cell, glyphs=list(cell.glyphs))]), replace(rest)]
    cell.glyphs += rest.glyphs
    cell.text = f"{cell.text} {rest.text}".strip()


def _is_rest(above: list[list[Cell]], row: list[Cell]) -> bool:
    """True when a row lacks most of the columns that the rows above it always fill, cells over several rows aside."""
    filled: dict[int, int] = {}
    for cell in (cell for other in above for cell in other if cell.text):
        for col in range(cell.col, cell.col + cell.col_span):
            filled[col] = filled.get(col, 0) + 1
    keys = {col for col, count in filled.items() if count >= _FILLED * len(above)}
    there = [cell for cell in row if cell.text or cell.row_span > 1]
    present = {col for cell in there for col in range(cell.col, cell.col + cell.col_span)}
    return bool(keys) and len(keys - present) >= _LACKING * len(keys)
