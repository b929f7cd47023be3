"""Glyphs as MuPDF gives them, and which of them a line strikes out."""

from __future__ import annotations

import pymupdf
import pytest

from pipelines.reading.fia.glyphs import load_page
from pipelines.reading.fia.page import Page


@pytest.fixture
def source() -> pymupdf.Page:
    document = pymupdf.open()
    return document.new_page(width=595, height=842)


def struck(page: Page) -> str:
    return "".join(glyph.raw for glyph in page.glyphs if glyph.struck)


def extent(page: Page, word: str) -> tuple[float, float]:
    text = "".join(glyph.raw for glyph in page.glyphs)
    start = text.index(word)
    return page.glyphs[start].x0, page.glyphs[start + len(word) - 1].x1


def draw(source: pymupdf.Page, word: str, height: float, *, filled: bool) -> Page:
    """The text with a line over one word, ``height`` points above the baseline at 100."""
    source.insert_text((50, 100), "keep this drop, keep", fontsize=11)
    x0, x1 = extent(load_page(source), word)
    if filled:
        source.draw_rect(pymupdf.Rect(x0, 100 - height - 0.3, x1, 100 - height + 0.3), fill=(1, 0, 1), color=None)
    else:
        source.draw_line((x0, 100 - height), (x1, 100 - height), color=(1, 0, 1), width=0.6)
    return load_page(source)


@pytest.mark.parametrize("filled", [True, False], ids=["filled box", "stroke"])
def test_a_line_through_a_word_strikes_it_and_not_the_comma_that_it_touches(source, filled):
    assert struck(draw(source, "drop", 3.1, filled=filled)) == "drop"


@pytest.mark.parametrize("height", [-1.2, 0.5, 9.0], ids=["underline", "on the baseline", "above"])
def test_other_lines_strike_nothing(source, height):
    assert struck(draw(source, "drop", height, filled=True)) == ""


def test_a_long_rule_strikes_no_white_space_alone(source):
    source.insert_text((50, 100), " ", fontsize=11)
    source.draw_rect(pymupdf.Rect(40, 96.6, 550, 97.2), fill=(0, 0, 0), color=None)
    assert struck(load_page(source)) == ""


def test_rules_shaded_boxes_and_images_are_told_apart(source):
    source.draw_rect(pymupdf.Rect(50, 200, 300, 201), fill=(0, 0, 0), color=None)
    source.draw_line((50, 300), (50, 400), color=(1, 0, 0), width=0.5)
    source.draw_rect(pymupdf.Rect(60, 300, 160, 330), fill=(0, 0.5, 1), color=None)
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 4, 4))
    pixmap.clear_with(9)
    source.insert_image(pymupdf.Rect(100, 500, 200, 600), pixmap=pixmap)
    page = load_page(source)
    level = [rule for rule in page.rules if rule.horizontal]
    upright = [rule for rule in page.rules if not rule.horizontal]
    assert [(rule.x0, rule.x1) for rule in level] == [(50, 300)]
    assert [(rule.y0, rule.y1, rule.color) for rule in upright] == [(300, 400, 0xFF0000)]
    assert [(box[:4], hex(box[4])) for box in page.fills] == [((60, 300, 160, 330), "0x80ff")]
    assert page.images == [(100, 500, 200, 600)]


def test_style_is_read(source):
    source.insert_text((50, 100), "Bold", fontname="hebo", fontsize=9, color=(0, 0.69, 0.31))
    glyph = load_page(source).glyphs[0]
    assert (glyph.bold, glyph.size, glyph.baseline, glyph.color) == (True, 9, 100, 0x00B04F)
