"""The words of a clause out of its lines."""

from __future__ import annotations

import pytest
from handmade import MAGENTA, ORANGE, full, glyphs, line

from pipelines.reading.fia.blocks import Block
from pipelines.reading.fia.colors import Palette
from pipelines.reading.fia.compose import compose, is_omission
from pipelines.reading.fia.lines import Item, Line
from pipelines.schema import Kind

STEP = 15.0


def text(*lines: Item) -> str:
    return compose(lines, Palette(), STEP).text


def settled(*lines: Line) -> str:
    block = Block(Kind.CLAUSE, "C1.1", "C1.1", 1, numbered=True, items=list(lines))
    block.settle(STEP)
    return compose(block.items, Palette(), STEP).text


def test_wrapped_lines_are_joined_by_a_space():
    first = full("The car")
    assert text(line(first, y=100), line("must stop.", y=115)) == f"{first} must stop."


def test_a_hyphen_at_the_end_of_a_line_joins_without_a_space():
    first = full("a")[:-1] + "-"
    assert text(line(first, y=100), line("overlapping", y=115)) == first + "overlapping"


def test_a_dash_between_words_keeps_its_spaces():
    first = full("a")[:-2] + " -"
    assert text(line(first, y=100), line("then", y=115)) == first + " then"


def test_a_wider_step_begins_a_paragraph():
    assert text(line(full("One"), y=100), line("Two", y=119)).count("\n") == 1


def test_room_left_on_the_line_begins_a_paragraph():
    assert text(line("One.", y=100), line("Two", y=115)) == "One.\nTwo"


def test_items_begin_lines_of_their_own():
    assert text(line(full("The car:"), y=100), line("a. one", y=115), line("b. two", y=130)).endswith(
        ":" + full("The car:")[8:] + "\na. one\nb. two"
    )


@pytest.mark.parametrize(("word", "figures"), [("ten", "(10)"), ("thirty-six", "(36)"), ("three", "(3)")])
def test_a_number_in_words_and_figures_is_no_list_item(word: str, figures: str) -> None:
    first = full("a period of")[: -len(word) - 1] + f" {word}"
    assert text(line(first, y=100), line(f"{figures} seconds", y=115)) == f"{first} {figures} seconds"


def test_a_numbered_item_behind_other_words_is_one() -> None:
    assert text(line(full("The car"), y=100), line("(3) seconds", y=115)).count("\n") == 1


def test_a_paragraph_goes_on_over_a_page_break():
    first = full("The car")
    assert text(line(first, y=760, page=1), line("must stop.", y=81, page=2)) == f"{first} must stop."


def test_struck_words_leave_one_space():
    assert text(line("their sole ~absolute ~discretion")) == "their sole discretion"
    assert text(line("their sole~ absolute~ discretion")) == "their sole discretion"
    assert text(line("their sole~ absolute ~discretion")) == "their sole discretion"


def test_struck_words_leave_no_space_before_a_mark():
    assert text(line("the ISC ~Code~, whichever")) == "the ISC, whichever"
    assert text(line("Straight~-Line~ Mode")) == "Straight Mode"


def test_struck_words_leave_one_mark():
    assert text(line("or a race. ~In such cases~.")) == "or a race."
    assert text(line("a car, ~or a part~.")) == "a car."
    assert text(line("Articles C13.4.2,.C13.4.3")) == "Articles C13.4.2,.C13.4.3"


def test_struck_letters_leave_a_word():
    assert text(line("C8.~1~2 a~n~ car")) == "C8.2 a car"


def test_a_struck_line_inside_a_paragraph_does_not_break_it():
    first = full("The car")
    assert text(line(first, y=100), line("~" + full("old") + "~", y=115), line("must stop.", y=130)) == (
        f"{first} must stop."
    )


def test_a_mark_alone_behind_a_struck_line_joins_without_a_space():
    first = full("the ISC")
    assert text(line(first, y=100), line("~fall outside the F1~.", y=115)) == f"{first}."


def test_an_item_struck_to_its_label_vanishes():
    assert settled(line("It must:", y=100), line("i. ~old words~", y=119), line("ii. stop.", y=138)) == (
        "It must:\nii. stop."
    )


def test_a_label_whose_words_are_struck_goes_to_the_words_that_take_it_up():
    old = line("i. ~" + full("old") + "~", x=113, y=740, page=1)
    new = line("New words.", x=134, y=81, page=2)
    assert settled(line("It must:", y=700), old, new) == "It must:\ni. New words."


def test_lines_know_their_run_of_the_text():
    composed = compose([line(full("The car"), y=100), line("must stop.", y=115)], Palette(), STEP)
    first, second = composed.lines
    assert composed.text[first.start : first.end] == full("The car")
    assert composed.text[second.start : second.end] == "must stop."
    # "must stop." is ten letters of six points from x = 92.
    assert (second.x0, second.x1) == (92, 152)


def test_inserted_and_named_runs():
    mixed = Line(1, 100, [*glyphs("as "), *glyphs("now said", x=110, color=MAGENTA)], 553)
    mixed.glyphs += glyphs(" in FIA-F1-DOC-1", x=158, color=ORANGE)
    composed = compose([Line(1, 100, mixed.glyphs, 553)], Palette(), STEP)
    assert [composed.text[start:end] for start, end in composed.inserted] == ["now said"]
    assert [composed.text[start:end] for start, end in composed.named] == ["in FIA-F1-DOC-1"]


def test_every_inked_glyph_in_force_is_placed_once():
    made = line("a ~b~ c d")
    composed = compose([made], Palette(), STEP)
    assert [glyph.raw for glyph in composed.glyphs] == ["a", "c", "d"]


def test_a_first_line_that_is_no_sentence_is_the_title():
    block = Block(Kind.CLAUSE, "F5.2.2", "F5.2.2", 1, numbered=True)
    block.items = [line("PUTB usage monitoring", y=100), line("The FIA records every run.", y=119)]
    block.settle(STEP)
    assert block.title == "PUTB usage monitoring"
    assert compose(block.items, Palette(), STEP).text == "The FIA records every run."


def test_a_first_line_that_leads_in_is_no_title():
    for lead in ("The car must", "Permitted items:", "It will be a"):
        block = Block(Kind.CLAUSE, "F5.2.2", "F5.2.2", 1, numbered=True)
        block.items = [line(lead, y=100), line("a. stop", y=119)]
        block.settle(STEP)
        assert block.title == ""


def test_omission_marks():
    assert all(is_omission(mark) for mark in ("…/…", "../..", "…", "[…]", "..."))
    assert not any(is_omission(mark) for mark in (".", "and/or", "1.", ""))
