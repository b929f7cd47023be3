"""Ligatures under a wrong character, mended by their glyph."""

from __future__ import annotations

from handmade import glyphs, page

from pipelines.reading.fia.ligatures import mend
from pipelines.reading.fia.page import Glyph

# Widths in parts of the size (10 points): f 0.30, i 0.24, l 0.26, t 0.32; every other letter 0.50.
NARROW = {"f": 3.0, "i": 2.4, "l": 2.6, "t": 3.2}


def run(text: str, wide: dict[int, tuple[int, float]] | None = None, font: str = "Aptos") -> list[Glyph]:
    """A run of true widths; ``wide`` gives another glyph id and width to the characters at some places."""
    made = glyphs(text, font=font, size=10)
    x = 50.0
    for index, glyph in enumerate(made):
        width = NARROW.get(glyph.raw, 5.0)
        if wide and index in wide:
            glyph.glyph_id, width = wide[index]
        glyph.x0, glyph.x1 = x, x + width
        x += width
    return made


def mended(*runs: list[Glyph]) -> str:
    made = page(*runs)
    mend([made])
    return "".join(glyph.text for glyph in made.glyphs)


def test_a_second_glyph_as_wide_as_two_letters_is_a_ligature():
    # "g" is 5.0 wide; the g of "egect" has another id and is 6.0 wide: twice an f.
    assert mended(run("going fit again "), run("egect", {1: (999, 6.0)})) == "going fit again effect"


def test_one_letter_of_its_pair_left_is_the_pair():
    assert mended(run("of first if "), run("Oficial", {1: (999, 6.0)})) == "of first if Official"


def test_a_sign_that_stands_inside_words_only_is_a_ligature():
    assert mended(run("fifty "), run("o`icial", {1: (999, 6.0)})) == "fifty official"


def test_a_sign_with_a_place_of_its_own_stays():
    assert mended(run("if a = b or a = c "), run("if ` is")) == "if a = b or a = c if ` is"


def test_a_wide_glyph_whose_letters_follow_is_not_doubled():
    first = run("of effort ", {3: (431, 6.0), 4: (-1, 0.0)})
    assert mended(first) == "of effort "


def test_a_glyph_of_another_width_that_fits_no_ligature_stays():
    assert mended(run("going fit again "), run("egect", {1: (999, 7.4)})) == "going fit again egect"


def test_of_two_ligatures_of_one_width_the_vocabulary_chooses():
    # t + t is 6.4, f + f is 6.0: a glyph of 6.2 fits both, and "after" nowhere.
    before = run("better going fit, a setting; ")
    assert mended(before, run("beger", {2: (999, 6.2)})) == "better going fit, a setting; better"


def test_presentation_forms_and_symbols_are_spelled_out():
    assert mended(run("deﬁned ﬂow \uf0fb")) == "defined flow ✗"


def test_fonts_are_told_apart():
    plain = run("going fit again ")
    other = run("g", {0: (7, 6.0)}, font="Other")
    assert mended(plain, other) == "going fit again g"
