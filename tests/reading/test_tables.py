"""Tables on pages made by hand: what is found, what is not, and how cells read."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from pipelines.reading.fia.page import Glyph, Page, Rule
from pipelines.reading.fia.tables import Table, continues, find_tables, join, join_all

NAVY, WHITE, BLACK = 0x002E5F, 0xFFFFFF, 0


class Sheet:
    """A page in the making. Letters are 10 points high and 5 wide; a line of text ends in a printed space."""

    def __init__(self, number: int = 1) -> None:
        self.page = Page(number, 600, 840, [])

    def text(
        self, x: float, y: float, words: str, *, struck: bool = False, bold: bool = False, size: float = 10.0
    ) -> Sheet:
        """Write words with their baseline at y, a space behind them unless they end in a backslash."""
        for index, letter in enumerate(words.removesuffix("\\") + ("" if words.endswith("\\") else " ")):
            left = x + index * size / 2
            box = (left, y - 0.8 * size, left + size / 2, y + 0.2 * size)
            self._glyph(letter, *box, baseline=y, size=size, struck=struck, bold=bold)
        return self

    def upward(self, x: float, y: float, words: str) -> Sheet:
        """Write words from y upwards, turned by a quarter."""
        for index, letter in enumerate(words + " "):
            self._glyph(letter, x, y - 5 * index - 5, x + 10, y - 5 * index, baseline=y - 5 * index, upright=False)
        return self

    def _glyph(
        self,
        letter: str,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        baseline: float,
        size: float = 10.0,
        struck: bool = False,
        bold: bool = False,
        upright: bool = True,
    ) -> None:
        glyph = Glyph(letter, letter, self.page.number, x0, y0, x1, y1, baseline, "F", size, bold, False, BLACK, struck)
        glyph.upright = upright
        self.page.glyphs.append(glyph)

    def level(self, y: float, x0: float, x1: float) -> Sheet:
        self.page.rules.append(Rule(x0, y, x1, y, BLACK, 0.5))
        return self

    def upright(self, x: float, y0: float, y1: float) -> Sheet:
        self.page.rules.append(Rule(x, y0, x, y1, BLACK, 0.5))
        return self

    def grid(self, xs: list[float], ys: list[float]) -> Sheet:
        """Rule a full grid, its borders drawn cell by cell as a word processor does."""
        for y in ys:
            for left, right in pairwise(xs):
                self.level(y, left, right)
        for x in xs:
            for top, bottom in pairwise(ys):
                self.upright(x, top, bottom)
        return self

    def tables(self) -> list[Table]:
        return find_tables(self.page)


XS, YS = [100.0, 200, 300], [100.0, 120, 140]


def two_by_two(number: int = 1) -> Sheet:
    sheet = Sheet(number).grid(XS, YS)
    return sheet.text(110, 115, "Name").text(210, 115, "Size").text(110, 135, "Wing").text(210, 135, "9 mm")


def test_a_ruled_grid() -> None:
    [table] = two_by_two().tables()
    assert table.markdown() == "| | |\n| --- | --- |\n| Name | Size |\n| Wing | 9 mm |"
    assert (table.page, table.x0, table.y0, table.x1, table.y1) == (1, 100, 100, 300, 140)
    assert [[cell.text for cell in row] for row in table.rows] == [["Name", "Size"], ["Wing", "9 mm"]]


def test_header_cells_are_joined_for_each_column() -> None:
    sheet = Sheet().level(100, 100, 300).level(120, 150, 300).level(140, 100, 300).level(160, 100, 300)
    for x in (100, 150, 300):
        sheet.upright(x, 100, 160)
    sheet.upright(220, 120, 160)
    sheet.text(105, 125, "Position", bold=True).text(190, 115, "Points", bold=True)
    sheet.text(160, 135, "Col. 1", bold=True).text(230, 135, "Col. 2", bold=True)
    sheet.text(105, 155, "1\\").text(110, 152, "st\\", size=6).text(160, 155, "6").text(230, 155, "13")
    [table] = sheet.tables()
    assert table.header_rows == 2
    assert table.markdown().splitlines() == [
        "| Position | Points – Col. 1 | Points – Col. 2 |",
        "| --- | --- | --- |",
        "| 1st | 6 | 13 |",
    ]


def test_a_cell_over_rows_is_repeated_and_a_band_is_not() -> None:
    sheet = Sheet().grid([100, 200, 300], [100, 120])
    sheet.level(140, 100, 300).level(160, 200, 300).level(180, 100, 300)
    sheet.upright(100, 120, 180).upright(300, 120, 180).upright(200, 140, 180)
    sheet.text(105, 115, "Item", bold=True).text(205, 115, "Limit", bold=True).text(105, 135, "Power unit")
    sheet.text(105, 165, "ICE").text(205, 155, "9").text(205, 175, "10")
    [table] = sheet.tables()
    assert table.markdown().splitlines()[2:] == ["| Power unit | |", "| ICE | 9 |", "| ICE | 10 |"]


def test_layout_says_where_each_cell_stands() -> None:
    sheet = Sheet().grid(XS, YS).text(110, 115, "a|b").text(210, 115, "c").text(210, 135, "d")
    [table] = sheet.tables()
    text, spans = table.layout()
    assert text.splitlines()[2:] == ["| a\\|b | c |", "| | d |"]
    assert [(cell.text, text[start:end]) for cell, start, end in spans] == [("a|b", "a\\|b"), ("c", "c"), ("d", "d")]


def test_struck_words_and_furniture_are_in_no_cell() -> None:
    sheet = two_by_two().text(240, 135, "12 mm", struck=True).level(132, 200, 270)
    sheet.text(250, 115, "27 June\\")
    for glyph in sheet.page.glyphs[-7:]:
        glyph.drop = "footer"
    [table] = sheet.tables()
    assert [cell.text for cell in table.cells] == ["Name", "Size", "Wing", "9 mm"]
    assert not any(glyph.struck or glyph.drop for glyph in table.glyphs)


def test_a_struck_row_or_column_is_left_out() -> None:
    sheet = Sheet().grid([100, 200, 300, 400], [100, 120, 140, 160])
    for y, row in ((115, ("a", "old", "b")), (135, ("old", "old", "old")), (155, ("c", "old", "d"))):
        for x, word in zip((110, 210, 310), row, strict=True):
            sheet.text(x, y, word, struck=word == "old", bold=y == 115)
    [table] = sheet.tables()
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "b"], ["c", "d"]]


def test_a_line_through_a_whole_cell_parts_no_rows() -> None:
    sheet = Sheet().grid([100, 125, 200], [100, 130])
    sheet.text(103, 110, "SSUC\\", struck=True).level(107, 100, 125).text(103, 124, "LPUC").text(130, 115, "YES")
    [table] = sheet.tables()
    assert [[cell.text for cell in row] for row in table.rows] == [["LPUC", "YES"]]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("Classificati\\", "on"), "Classification"),  # no space printed at the line's end: cut inside the word
        (("FLOOR-\\", "BODY"), "FLOOR-BODY"),
        (("set up", "options"), "set up options"),
    ],
)
def test_lines_of_a_cell(lines: tuple[str, str], expected: str) -> None:
    sheet = Sheet().grid([100, 200, 300], [100, 130]).text(105, 112, lines[0]).text(105, 124, lines[1])
    [table] = sheet.text(205, 112, "x").tables()
    assert table.cells[0].text == expected


def test_words_around_struck_ones_are_spaced_once() -> None:
    sheet = Sheet().grid([100, 250, 300], [100, 140])
    sheet.text(105, 115, "[50,\\").text(125, 115, " 125", struck=True).text(150, 115, "155\\")
    sheet.text(165, 115, " mm", struck=True).text(185, 115, "]")
    sheet.text(105, 130, "Fixings").text(145, 130, "of the wing", struck=True).text(205, 130, ".").text(255, 115, "x")
    [table] = sheet.tables()
    assert table.cells[0].text == "[50, 155] Fixings."


@pytest.mark.parametrize(
    ("raised", "expected"), [("6", "10⁶"), ("th", "10th"), ("o", "10º"), ("(2)", "10(2)")], ids=str
)
def test_raised_letters(raised: str, expected: str) -> None:
    sheet = Sheet().grid([100, 200, 300], [100, 120]).text(105, 115, "10\\").text(115, 111, raised, size=6)
    [table] = sheet.text(205, 115, "x").tables()
    assert table.cells[0].text == expected
    assert unicodedata.normalize("NFKC", expected) == "10" + raised


def test_turned_words_and_symbols() -> None:
    sheet = Sheet().grid([100, 130, 200], [100, 180]).upward(103, 170, "SEALED").upward(115, 170, "PERIMETER")
    [table] = sheet.text(140, 150, "\uf0fb").tables()
    assert [cell.text for cell in table.cells] == ["SEALED PERIMETER", "✗"]


def test_a_change_of_shade_parts_rows_without_a_rule() -> None:
    sheet = Sheet().level(100, 100, 300).level(140, 100, 300)
    for x in XS:
        sheet.upright(x, 100, 140)
    sheet.page.fills += [(100.5, 100.5, 199.5, 119.5, NAVY), (200.5, 100.5, 299.5, 119.5, NAVY)]
    sheet.text(110, 115, "Unit", bold=True).text(210, 115, "Max", bold=True).text(110, 135, "wt%").text(210, 135, "40")
    [table] = sheet.tables()
    assert table.markdown() == "| Unit | Max |\n| --- | --- |\n| wt% | 40 |"


def test_a_header_a_little_apart_belongs_to_its_table() -> None:
    sheet = Sheet().grid([200, 300, 400], [76, 96]).grid([100, 200, 300, 400], [100, 120])
    sheet.text(210, 91, "Sprint", bold=True).text(310, 91, "Race", bold=True)
    [table] = sheet.text(110, 115, "Soft").text(210, 115, "6").text(310, 115, "8").tables()
    assert table.markdown() == "| | Sprint | Race |\n| --- | --- | --- |\n| Soft | 6 | 8 |"


def test_a_page_break_may_cut_off_the_top_rule() -> None:
    sheet = Sheet().level(120, 100, 300).text(110, 115, "8th").text(210, 115, "1")
    for x in XS:
        sheet.upright(x, 100, 120)
    [table] = sheet.tables()
    assert [cell.text for cell in table.cells] == ["8th", "1"]
    assert table.y0 == 100


def _lone_box(sheet: Sheet) -> None:
    sheet.grid([100, 500], [100, 160]).text(110, 120, "Version:").text(200, 120, "Issue 02")


def _boxes_of_one_column(sheet: Sheet) -> None:
    sheet.grid([100, 500], [100, 130, 160]).text(110, 120, "One").text(110, 150, "Two")


def _governance_bar(sheet: Sheet) -> None:
    sheet.upright(100, 100, 130).upright(101.5, 100, 130).text(110, 112, "Advisory Committee").text(110, 126, "WMSC")


def _page_frame(sheet: Sheet) -> None:
    sheet.grid([20, 580], [20, 820]).text(110, 120, "Words").level(122, 110, 140)


def _empty_form(sheet: Sheet) -> None:
    sheet.grid([200, 300], [100, 120]).grid([400, 500], [100, 120]).text(110, 115, "Team").text(330, 115, "Date")


def _dimensioned_drawing(sheet: Sheet) -> None:
    sheet.level(200, 100, 400).upright(100, 190, 210).upright(400, 190, 210).text(240, 196, "350")
    sheet.grid([150, 250, 350], [220, 300]).text(240, 330, "Figure 5")


def _two_column_list(sheet: Sheet) -> None:
    for index, (left, right) in enumerate((("a.", "e."), ("b.", "f."), ("c.", "g."))):
        y = 120 + 20 * index
        sheet.text(100, y, left).text(120, y, "Delegate").text(300, y, right).text(320, y, "Observer")


def _colon_list(sheet: Sheet) -> None:
    for index, label in enumerate(("a.", "b.", "c.")):
        y = 120 + 20 * index
        sheet.text(100, y, label).text(120, y, f"Period {index}:").text(300, y, "Six exceptions")


def _contents(sheet: Sheet) -> None:
    for index in range(4):
        y = 120 + 20 * index
        sheet.text(100, y, f"A1.{index}").text(150, y, "Overview").text(500, y, str(index))


def _stretched_words(sheet: Sheet) -> None:
    for index, (label, x) in enumerate((("a.", 180), ("b.", 187), ("c.", 175))):
        y = 120 + 20 * index
        sheet.text(100, y, label).text(120, y, "Words").text(x, y, "apart")


@pytest.mark.parametrize(
    "draw",
    [
        _lone_box,
        _boxes_of_one_column,
        _governance_bar,
        _page_frame,
        _empty_form,
        _dimensioned_drawing,
        _two_column_list,
        _colon_list,
        _contents,
        _stretched_words,
    ],
)
def test_what_is_no_table(draw: Callable[[Sheet], None]) -> None:
    sheet = Sheet()
    draw(sheet)
    assert sheet.tables() == []


def test_list_items_in_columns() -> None:
    sheet = Sheet().text(100, 100, "d.").text(120, 100, "Superalloys:")
    for index, (label, left, right) in enumerate(
        (("i.", "UNS N06625", "Inconel 625"), ("ii.", "UNS N07718", "Inconel 718"), ("viii.", "UNS R3", "MP35N"))
    ):
        y = 120 + 20 * index
        sheet.text(120, y, label).text(150, y, left).text(250, y, right)
    [table] = sheet.text(100, 180, "e.").text(120, 180, "Titanium").tables()
    assert not table.ruled
    assert table.markdown().splitlines()[2:] == [
        "| i. | UNS N06625 | Inconel 625 |",
        "| ii. | UNS N07718 | Inconel 718 |",
        "| viii. | UNS R3 | MP35N |",
    ]


def _part(number: int, header: list[str] | None, rows: list[list[str]], top: float) -> Sheet:
    """A page with one table of two columns, 20 points a row, its header in bold."""
    lines = ([header] if header else []) + rows
    sheet = Sheet(number).grid(XS, [top + 20 * index for index in range(len(lines) + 1)])
    for index, line in enumerate(lines):
        for x, words in zip(XS, line, strict=False):
            if words:
                sheet.text(x + 5, top + 20 * index + 15, words, bold=line is header)
    return sheet


@pytest.mark.parametrize("again", [["Item", "Limit"], None])
def test_a_table_over_a_page_break(again: list[str] | None) -> None:
    [upper] = _part(1, ["Item", "Limit"], [["a", "1"], ["b", "2"]], 700).tables()
    [lower] = _part(2, again, [["c", "3"]], 80).tables()
    assert continues(upper, lower)
    table = join(upper, lower)
    assert table.markdown().splitlines() == ["| Item | Limit |", "| --- | --- |", "| a | 1 |", "| b | 2 |", "| c | 3 |"]
    assert Counter(map(id, table.glyphs)) == Counter(map(id, upper.glyphs + lower.glyphs))
    assert (table.page, table.page_end, sorted(table.boxes)) == (1, 2, [1, 2])
    assert [cell.text for cell in upper.cells] == ["Item", "Limit", "a", "1", "b", "2"]


def test_a_row_that_the_page_break_cuts_is_one_row() -> None:
    [upper] = _part(1, ["Item", "Limit"], [["a", "lie forward"], ["b", "lie rearward and"]], 700).tables()
    [lower] = _part(2, ["Item", "Limit"], [["", "above"], ["c", "3"]], 80).tables()
    table = join(upper, lower)
    text, spans = table.layout()
    assert text.splitlines()[3:] == ["| b | lie rearward and above |", "| c | 3 |"]
    parts = [(text[start:end], {glyph.page for glyph in cell.glyphs}) for cell, start, end in spans[5:7]]
    assert parts == [("lie rearward and", {1}), ("above", {2})]


def test_a_cell_that_spans_the_page_break_is_one_cell() -> None:
    upper = Sheet(1).grid([100, 150, 200], [700, 720]).level(740, 150, 200).level(760, 100, 200)
    for x in (100, 150, 200):
        upper.upright(x, 720, 760)
    upper.text(105, 715, "Area", bold=True).text(155, 715, "Item", bold=True)
    upper.text(105, 745, "ICE").text(155, 735, "1").text(155, 755, "2")
    lower = Sheet(2).level(80, 100, 200).level(100, 150, 200).level(120, 100, 200).grid([100, 150, 200], [120, 140])
    for x in (100, 150, 200):
        lower.upright(x, 80, 120)
    lower.text(155, 95, "3").text(155, 115, "4").text(105, 135, "TC").text(155, 135, "5")
    [table] = join_all([*upper.tables(), *lower.tables()])
    assert table.markdown().splitlines()[2:] == [
        "| ICE | 1 |",
        "| ICE | 2 |",
        "| ICE | 3 |",
        "| ICE | 4 |",
        "| TC | 5 |",
    ]


def test_what_does_not_continue() -> None:
    [upper] = _part(1, ["Item", "Limit"], [["a", "1"]], 700).tables()
    [lower] = _part(2, ["Item", "Limit"], [["b", "2"]], 80).tables()
    [other] = _part(2, ["Item", "Price"], [["b", "2"]], 80).tables()
    [later] = _part(3, None, [["b", "2"]], 80).tables()
    [below_words] = _part(2, None, [["b", "2"]], 120).text(100, 100, "Words").tables()
    [above_words] = _part(1, None, [["b", "2"]], 600).text(100, 740, "Words").tables()
    [first, last] = (
        _part(1, ["Item", "Limit"], [["a", "1"]], 600)
        .grid(XS, [700, 720])
        .text(110, 715, "c")
        .text(210, 715, "3")
        .tables()
    )
    assert continues(upper, lower)
    assert (first.trails, last.trails) == (False, True)
    assert not any(continues(upper, table) for table in (other, later, below_words, upper))
    assert not continues(above_words, lower)
