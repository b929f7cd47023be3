"""Tables as records: cells in rows, and their Markdown with the place of every cell in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipelines.reading.fia.page import Glyph

# Between the rows of a header that stand above one column.
HEADER_JOINT = " – "


@dataclass(slots=True, eq=False)
class Cell:
    """One cell: its own glyphs in reading order, their text on one line, and the part of the grid that it covers.

    ``row`` and ``col`` count from 0 in the table. A cell is compared by identity: equal words are still two cells.
    ``parts`` holds the pieces of a cell that a page break cut, one a page; it is empty for any other cell.
    """

    row: int
    col: int
    row_span: int
    col_span: int
    glyphs: list[Glyph]
    text: str
    parts: list[Cell] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Table:
    """A table of one page, or of several once joined. Boxes are points from the top left corner of page ``page``.

    ``rows`` holds for each row the cells that begin in it, left to right. ``edges`` are the x of the column borders,
    one more than there are columns. ``leads`` and ``trails`` say that nothing but page furniture stands above or
    below the table on its page, which a table that goes on over a page break needs.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    rows: list[list[Cell]]
    header_rows: int
    edges: tuple[float, ...]
    page_end: int
    leads: bool = False
    trails: bool = False
    ruled: bool = True
    boxes: dict[int, tuple[float, float, float, float]] = field(default_factory=dict)  # by page, after a join

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.edges) - 1

    @property
    def cells(self) -> list[Cell]:
        """Every cell once, row by row."""
        return [cell for row in self.rows for cell in row]

    @property
    def glyphs(self) -> list[Glyph]:
        """Every glyph of the table once."""
        return [glyph for cell in self.cells for glyph in cell.glyphs]

    def grid(self) -> list[list[Cell | None]]:
        """The cell that covers each place, row by row: a spanning cell stands in every place that it covers."""
        places: list[list[Cell | None]] = [[None] * self.columns for _ in self.rows]
        for cell in self.cells:
            for row in range(cell.row, min(cell.row + cell.row_span, len(self.rows))):
                for col in range(cell.col, min(cell.col + cell.col_span, self.columns)):
                    places[row][col] = cell
        return places

    def markdown(self) -> str:
        """The table in Markdown; see :meth:`layout` for how cells are written."""
        return self.layout()[0]

    def layout(self) -> tuple[str, list[tuple[Cell, int, int]]]:
        """The table in Markdown, and where each cell's words stand in it.

        One header row: the header cells above a column are joined, so that each column carries its full header. A cell
        that spans rows is repeated in each; one that spans columns is repeated under each, unless it spans most of the
        table (a band that titles the rows below it), which is written once. A pipe is written ``\\|``. A cell is
        one line and a line break in it is a space: the words of a cell stay one run that can be searched and quoted.

        Returns:
            The Markdown without a final line break, and (cell, start, end) for each non-empty writing of a cell, in
            order of ``start``; offsets are into the Markdown. Of a cell in parts each part is given by itself.
        """
        places = self.grid()
        writer = _Writer()
        writer.row([self._header(places, col) for col in range(self.columns)])
        writer.line("| " + " | ".join(["---"] * self.columns) + " |")
        for row in range(self.header_rows, len(self.rows)):
            writer.row([_written(places[row][col], col, self.columns) for col in range(self.columns)])
        return "\n".join(writer.lines), writer.spans

    def _header(self, places: list[list[Cell | None]], col: int) -> list[Cell]:
        """The header cells of one column from top to bottom. A title over the whole table and alone goes first only."""
        stack: list[Cell] = []
        for row in range(self.header_rows):
            cell = places[row][col]
            if cell is not None and cell.text and cell not in stack:
                stack.append(cell)
        if col and len(stack) == 1 and stack[0].col_span >= self.columns:
            return []
        return stack


def _written(cell: Cell | None, col: int, columns: int) -> list[Cell]:
    """What a body row writes in one column."""
    if cell is None or not cell.text:
        return []
    if col != cell.col and 2 * cell.col_span > columns:
        return []
    return [cell]


class _Writer:
    """Lines of Markdown in the making, and the spans of the cells written so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.spans: list[tuple[Cell, int, int]] = []
        self._length = 0

    def line(self, text: str) -> None:
        """Add one finished line."""
        self.lines.append(text)
        self._length += len(text) + 1

    def row(self, columns: list[list[Cell]]) -> None:
        """Add one row; each column is the cells written in it, top to bottom."""
        text = "|"
        for stack in columns:
            text += " "
            for index, cell in enumerate(stack):
                if index:
                    text += HEADER_JOINT
                for number, part in enumerate(cell.parts or [cell]):
                    text += " " if number else ""
                    start = self._length + len(text)
                    text += part.text.replace("|", "\\|")
                    self.spans.append((part, start, self._length + len(text)))
            text += " |" if stack else "|"
        self.line(text)
