"""Flows the blocks of a section down its pages, in the FIA's measures, and notes on which pages each block stands."""

from __future__ import annotations

from scripts.sample import figure
from scripts.sample.markup import Block, Run
from scripts.sample.sheet import BLACK, NAVY, Characters, Look, Sheet, Style, lines, measure, write

LEFT, RIGHT, TOP, BOTTOM = 42.5, 555.0, 81.2, 764.0
TEXT = (92.1, 113.3, 134.6, 155.9)  # where text of each level begins; an item's letter stands one level further left
_COLUMNS = ((92.1, 113.3, 345.0), (365.0, 386.2, 555.0))
_SIZE = 11.04
_GAPS = {"article": 27.0, "appendix": 27.0, "sub-article": 23.2, "heading": 23.2, "omission": 15.4}
_KEEP = {"article": 78.0, "appendix": 78.0, "sub-article": 64.0, "heading": 50.0, "clause": 16.0, "governance": 40.0}


class Flow:
    """The pages of one section's body; ``sheets`` grow as blocks are placed."""

    def __init__(self, style: Style, first_page: int) -> None:
        self.style = style
        self.sheets = [Sheet(first_page)]
        self.y = 0.0  # the baseline of the last line; 0 at the top of a page
        self.margin = TEXT[0]  # where running text begins: further left in a definitions appendix
        self.beside = False  # True when the next line stands beside a clause number

    @property
    def sheet(self) -> Sheet:
        """The page being filled."""
        return self.sheets[-1]

    def place(self, blocks: list[Block]) -> None:
        """Place blocks in order."""
        for block in blocks:
            kind = block.kind
            if self.y + _GAPS.get(kind, 21.4) + _KEEP.get(kind, 0.0) > BOTTOM:
                self._turn()
            if kind in ("article", "appendix"):
                self._article(block)
            elif kind in ("sub-article", "heading"):
                self._heading(block)
            elif kind == "clause":
                self._clause(block)
            elif kind == "governance":
                self._governance(block)
            elif kind == "omission":
                self._line(block, self.style.characters(block.runs, _SIZE, "omission_mark"), LEFT, 15.4)
            elif kind == "table":
                self._table(block)
            elif kind == "columns":
                self._columns(block)
            elif kind == "figure":
                self._figure(block)
            else:
                self._paragraph(block)

    def _turn(self) -> None:
        self.sheets.append(Sheet(self.sheet.number + 1))
        self.y = 0.0

    def _advance(self, gap: float, block: Block) -> None:
        if not self.y:
            self.y = TOP
        elif self.y + gap > BOTTOM:
            self._turn()
            self.y = TOP
        else:
            self.y += gap
        block.pages.add(self.sheet.number)

    def _line(self, block: Block, characters: Characters, x: float, gap: float, spread: float = 0.0) -> None:
        self._advance(gap, block)
        write(self.sheet, characters, x, self.y, spread)

    def _article(self, block: Block) -> None:
        name = "ARTICLE " + block.id if block.kind == "article" else block.id.replace("APP", "APPENDIX")
        self.margin = LEFT if block.kind == "appendix" else TEXT[0]
        runs = [Run(f"{name}: "), *block.title]
        self._line(block, self.style.characters(runs, 12.0, "heading", "navy", bold=True), LEFT, _GAPS[block.kind])

    def _heading(self, block: Block) -> None:
        if block.number:
            self._line(
                block, self.style.characters(block.number, _SIZE, "clause_number", "navy", bold=True), LEFT, 23.2
            )
        else:
            self._advance(23.2, block)
        title = self.style.characters(block.title, _SIZE, "heading", "navy", bold=True)
        write(self.sheet, title, TEXT[0] if block.number else LEFT, self.y)

    def _clause(self, block: Block) -> None:
        self.margin = TEXT[0]
        number = self.style.characters(block.number, 9.12, "clause_number", "navy", bold=True)
        self._line(block, number, LEFT, 21.6)
        if block.title:
            title = self.style.characters(block.title, _SIZE, "heading", "navy", bold=True)
            write(self.sheet, title, TEXT[0], self.y)
        else:
            self.beside = True

    def _governance(self, block: Block) -> None:
        x = float(self.style.head.get("red_x", "42.5"))
        self._line(block, self.style.characters(block.runs, 9.12, "governance"), x, 14.2)
        self.sheet.box(x - 6.2, self.y - 10.0, x - 4.8, self.y + 4.0, self.style.governance)

    def _paragraph(self, block: Block) -> None:
        level = block.level + (1 if block.marker else 0)
        x = self.margin + TEXT[level] - TEXT[0]
        characters = self.style.characters(block.runs, _SIZE, "clause")
        wrapped = lines(characters, RIGHT - x)
        for index, line in enumerate(wrapped):
            last = index == len(wrapped) - 1
            blanks = sum(character == " " for character, _ in line[:-1])
            spread = 0.0 if last else (RIGHT - x - measure(line[:-1])) / max(blanks, 1)
            gap = self.style.lead if index else 0.0 if self.beside else self.style.lead + 6.0
            self._line(block, line, x, gap, spread)
            if not index and block.marker:
                self._marker(block, self.margin + TEXT[block.level] - TEXT[0])
            self.beside = False

    def _marker(self, block: Block, x: float) -> None:
        tone = next(run.tone for run in block.runs if run.text.strip())
        whole = block.struck or block.inserted
        run = Run(block.marker, tone=tone if whole else "black", struck=block.struck)
        write(self.sheet, self.style.characters([run], _SIZE, "clause"), x, self.y)

    def _columns(self, block: Block) -> None:
        top, rows = self.y + self.style.lead + 6.0, max(len(column) for column in block.columns)
        if top + rows * self.style.lead > BOTTOM:
            self._turn()
            top = TOP
        block.pages.add(self.sheet.number)
        for (x_marker, x_text, right), column in zip(_COLUMNS, block.columns, strict=True):
            y = top
            for item in column:
                marker = self.style.characters([Run(item.marker)], _SIZE, "clause")
                write(self.sheet, marker, x_marker, y)
                for line in lines(self.style.characters(item.runs, _SIZE, "clause"), right - x_text):
                    write(self.sheet, line, x_text, y)
                    self.y = max(self.y if y != top else y, y)
                    y += self.style.lead

    def _table(self, block: Block) -> None:
        rows = [self._cells(block, row, head=not index) for index, row in enumerate(block.rows)]
        heights = [max(len(cell) for cell in row) * 12.6 + 5.4 for row in rows]
        if self.y + 14.0 + sum(heights) > BOTTOM:
            self._turn()
            self.y = TOP - 24.0
        block.pages.add(self.sheet.number)
        y = self.y + 12.0
        edges = [TEXT[0] + (RIGHT - TEXT[0] - sum(block.widths)) / 2]
        for width in block.widths:
            edges.append(edges[-1] + width)
        for index, (row, height) in enumerate(zip(rows, heights, strict=True)):
            if not index:
                self.sheet.box(edges[0], y, edges[-1], y + height, NAVY)
            for left, right, cell in zip(edges, edges[1:], row, strict=False):
                for count, line in enumerate(cell):
                    x = left + (right - left - measure(line[:-1])) / 2
                    write(self.sheet, line, x, y + 12.0 + count * 12.6)
            self._rule(edges, y, height, first=not index)
            y += height
        self.y = y + 3.0

    def _cells(self, block: Block, row: list[str], head: bool) -> list[list[Characters]]:
        tone = "white" if head else "black"
        return [
            lines(self.style.characters([Run(cell)], 10.08, "clause", tone, bold=head), width - 9.0)
            for cell, width in zip(row, block.widths, strict=True)
        ]

    def _rule(self, edges: list[float], y: float, height: float, first: bool) -> None:
        for edge in edges:
            self.sheet.box(edge - 0.24, y, edge + 0.24, y + height, BLACK)
        for across in (y, y + height) if first else (y + height,):
            self.sheet.box(edges[0] - 0.24, across - 0.24, edges[-1] + 0.24, across + 0.24, BLACK)

    def _figure(self, block: Block) -> None:
        if self.y + 20.0 + figure.HEIGHT > BOTTOM:
            self._turn()
            self.y = TOP - 20.0
        block.pages.add(self.sheet.number)
        label = Look("regular", 8.04, BLACK, "figure_label")
        figure.draw(self.sheet, TEXT[0], self.y + 12.0, label)
        self.y += 16.0 + figure.HEIGHT
