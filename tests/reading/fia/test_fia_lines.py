"""Lines in reading order, list labels and columns."""

from __future__ import annotations

import pytest
from handmade import RIGHT, glyphs, line, page

from pipelines.reading.fia.lines import Figure, Line, label_of, read_items
from pipelines.reading.fia.page import Glyph


def texts(*runs: list[Glyph]) -> list[str]:
    items = read_items(page(*runs), [], taken=set(), right=RIGHT)
    return [item.text for item in items if isinstance(item, Line)]


def test_words_are_ordered_by_position_and_not_as_drawn():
    assert texts(glyphs("beside it", x=200, y=100), glyphs("below", y=116), glyphs("C3.1", x=42, y=100)) == [
        "C3.1beside it",
        "below",
    ]


def test_a_list_in_two_columns_is_read_column_by_column():
    rows = [("a. One", "c. Three", 100), ("b. Two", "d. Four", 116)]
    runs = [run for left, right, y in rows for run in (glyphs(left, y=y), glyphs(right, x=365, y=y))]
    assert texts(*runs) == ["a. One", "b. Two", "c. Three", "d. Four"]


def test_columns_that_count_by_rows_are_read_by_rows():
    rows = [("a. One", "b. Two", 100), ("c. Three", "d. Four", 116)]
    runs = [run for left, right, y in rows for run in (glyphs(left, y=y), glyphs(right, x=365, y=y))]
    assert texts(*runs) == ["a. One", "b. Two", "c. Three", "d. Four"]


def test_a_line_between_two_lists_parts_their_columns():
    runs = [
        glyphs("a. One", y=100),
        glyphs("b. Two", x=365, y=100),
        glyphs("And may nominate:", y=118),
        glyphs("c. A delegate of", y=136),
        glyphs("d. An observer", x=365, y=136),
        glyphs("the president", x=110, y=152),
    ]
    assert texts(*runs) == [
        "a. One",
        "b. Two",
        "And may nominate:",
        "c. A delegate of",
        "the president",
        "d. An observer",
    ]


def test_stretched_words_are_no_columns():
    assert texts(glyphs("by", x=42, y=100), glyphs("the", x=84, y=100), glyphs("office", x=300, y=100)) == [
        "bytheoffice"
    ]


def test_an_index_belongs_to_the_line_that_it_stands_beside():
    base = glyphs("[X", y=100)
    index = glyphs("C", x=base[-1].x1, y=101.2, size=6.5)
    rest = glyphs(" = 830]", x=base[-1].x1 + 6, y=100)
    assert texts(base, rest, index, glyphs("next line", y=115)) == ["[XC = 830]", "next line"]


def test_words_over_a_picture_are_labels_of_the_figure():
    made = page(glyphs("before", y=100), glyphs("label", x=200, y=300), glyphs("after", y=500))
    made.images.append((90, 200, 400, 400))
    items = read_items(made, [], taken=set(), right=RIGHT)
    assert [item.text if isinstance(item, Line) else type(item) for item in items] == ["before", Figure, "after"]
    assert {glyph.drop for glyph in made.glyphs if glyph.baseline == 300} == {"figure_label"}


@pytest.mark.parametrize("text", ["a. word", "(iv) word", "12. word", "aa. word", "• word", "xiv. word", "A. word"])
def test_labels(text):
    assert label_of(line(text)) == text.split()[0]


@pytest.mark.parametrize("text", ["so.", "do. not", "ill. word", "2026. word", "the. word", "a word", "i.e. word"])
def test_words_that_are_no_labels(text):
    assert label_of(line(text)) == ""


def test_a_roman_number_without_a_point_is_a_label_before_a_tab():
    tabbed = line("vi")
    tabbed = Line(1, 100, [*tabbed.glyphs, *glyphs("brake discs", x=130)], RIGHT)
    assert label_of(tabbed) == "vi"
    assert label_of(line("vi brake discs")) in ("", "vi")
