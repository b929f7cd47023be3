"""Colours by the legend or by hue, and what coloured runs are."""

from __future__ import annotations

import pytest
from handmade import GREEN, MAGENTA, ORANGE, RED, glyphs, line, page

from pipelines.reading.fia.colors import CHANGED, COMMENT, GOVERNANCE, REFERENCE, Palette, read_palette
from pipelines.reading.fia.lines import Line
from pipelines.reading.fia.marks import mark_runs, words

BLUE = 0x0070FF


@pytest.mark.parametrize(
    ("color", "role"),
    [
        (0xFF00FF, CHANGED),
        (0xFF40FF, CHANGED),
        (0xFA1EF0, CHANGED),
        (0xC00000, GOVERNANCE),
        (0xB02418, GOVERNANCE),
        (0xFF0000, GOVERNANCE),
        (0xFF9900, REFERENCE),
        (0xFFC000, REFERENCE),
        (0x00B050, COMMENT),
        (0x4EA72E, COMMENT),
        (0x002D5F, ""),
        (0x002060, ""),
        (0x0000FF, ""),
        (0x747474, ""),
        (0x000000, ""),
        (0xFFFFFF, ""),
    ],
)
def test_hues_without_a_legend(color, role):
    assert Palette().role(color) == role


def test_the_legend_says_what_a_colour_means():
    rows = [
        glyphs("Black Text: Text unchanged from Issue 04", y=100),
        [*glyphs("Blue Text", y=116, color=BLUE), *glyphs(": Changes relative to Issue 04", x=200, y=116)],
        [*glyphs("[Green Text]", y=132, color=GREEN), *glyphs(": Comments", x=200, y=132)],
    ]
    made = page(*rows)
    for glyph in made.glyphs:
        glyph.drop = "cover_and_legend"
    palette = read_palette([made])
    assert palette.role(BLUE) == CHANGED
    assert palette.role(GREEN) == COMMENT
    assert palette.role(MAGENTA) == CHANGED


def left(*lines: Line) -> list[str]:
    mark_runs(lines, Palette())
    return [made.text for made in lines]


def test_governance_lines_leave_the_text_and_red_law_stays():
    assert left(line("Advisory Committee: TAC", color=RED), line("Governance: WMSC", y=115, color=RED)) == ["", ""]
    assert left(line("One will be tested", color=RED)) == ["One will be tested"]


def test_comments_leave_the_text_over_line_breaks():
    made = [line("[to be reviewed", color=GREEN), line("next year]", y=115, color=GREEN), line("The car", y=130)]
    assert left(*made) == ["", "", "The car"]
    assert {glyph.drop for glyph in made[0].ink} == {"comment"}


def test_replaced_by_stays_though_green():
    assert left(line("[Replaced by Article A9.4.2]", color=GREEN)) == ["[Replaced by Article A9.4.2]"]


def test_a_green_mark_alone_is_no_comment():
    assert left(Line(1, 100, [*glyphs("The car"), *glyphs(".", x=134, color=GREEN)], 553)) == ["The car."]


def test_document_names_stay_in_their_sentence():
    assert left(line("FIA-F1-DOC-C034", color=ORANGE)) == ["FIA-F1-DOC-C034"]


def test_words_are_parted_by_gaps_white_space_and_line_breaks():
    run = [*glyphs("a b"), *glyphs("c", x=140), *glyphs("d", x=92, y=115)]
    assert words(run) == "a b c d"
