from __future__ import annotations

from dataclasses import replace

from pipelines.answer.pieces import cells, is_rule, pieces
from pipelines.schema import Clause


def texts(clause: Clause) -> list[str]:
    return [clause.text[piece.start : piece.end] for piece in pieces(clause)]


def with_text(clause: Clause, text: str) -> Clause:
    return replace(clause, text=text, tables=(), lines=())


def test_sentences_and_items_under_their_lead_in(law: dict[str, Clause]) -> None:
    clause = with_text(
        law["C4.1"],
        "Cars are weighed. The car must, e.g. after a Race:\na. stop at the scales;\ni. with the engine off; and\n"
        "ii. without help.\nb. wait. Nobody may touch it.\nThe result is final.",
    )
    assert texts(clause) == [
        "Cars are weighed.",
        "The car must, e.g. after a Race:",
        "a. stop at the scales;",
        "i. with the engine off; and",
        "ii. without help.",
        "b. wait.",
        "Nobody may touch it.",
        "The result is final.",
    ]
    assert [piece.under for piece in pieces(clause)] == [(), (), (1,), (1, 2), (1, 2), (1,), (1, 5), ()]
    assert [piece.lead for piece in pieces(clause)] == [False, True] + [False] * 6


def test_a_further_sentence_of_an_item_stands_under_its_first_and_so_do_its_sub_items(law: dict[str, Clause]) -> None:
    clause = with_text(law["C4.1"], "Lead:\na. First. It must:\ni. stop.\n(10) minutes is no marker.")
    assert [piece.under for piece in pieces(clause)] == [(), (0,), (0, 1), (0, 1, 2), ()]


def test_i_after_h_goes_on_with_letters(law: dict[str, Clause]) -> None:
    items = "\n".join(f"{letter}. item" for letter in "abcdefghij")
    assert {piece.under for piece in pieces(with_text(law["C4.1"], f"Lead:\n{items}"))[1:]} == {(0,)}


def test_roman_numbers_under_h_are_no_letters(law: dict[str, Clause]) -> None:
    clause = with_text(law["C4.1"], "Lead:\nh. of:\ni. one; and\nii. two,\nplus three;\ni. the next letter;\nj. more.")
    assert [piece.under for piece in pieces(clause)] == [(), (0,), (0, 1), (0, 1), (0, 1), (0,), (0,)]


def test_a_list_goes_on_after_plain_words(law: dict[str, Clause]) -> None:
    clause = with_text(law["C4.1"], "Lead:\na. one;\nb. two.\nThe two count alike.\nc. three.\nNew list:\na. first.")
    assert [piece.under for piece in pieces(clause)] == [(), (0,), (0,), (), (0,), (), (5,)]


def test_each_style_of_numbering_goes_on_after_plain_words(law: dict[str, Clause]) -> None:
    for before, after in (("4.", "5."), ("(i)", "(ii)"), ("B)", "C)")):
        clause = with_text(law["C4.1"], f"Lead:\n{before} one.\nMore words.\n{after} two.\n(a) other.")
        assert pieces(clause)[3].under == (0,), after


def test_abbreviations_decimals_and_quotes_do_not_end_a_sentence(law: dict[str, Clause]) -> None:
    clause = with_text(law["C4.1"], "A gap of 1.5 mm, approx. Half, is allowed. “Car” means a car.” See Art. 5 there.")
    assert texts(clause) == [
        "A gap of 1.5 mm, approx. Half, is allowed.",
        "“Car” means a car.”",
        "See Art. 5 there.",
    ]


def test_a_table_is_a_header_and_rows_under_it(law: dict[str, Clause]) -> None:
    found = pieces(law["A2.2.1"])
    assert [piece.kind for piece in found] == ["sentence", "header", "row", "row", "row"]
    assert found[2].under == (0, 1)
    header = law["A2.2.1"].text[found[1].start : found[1].end]
    assert header == "| Position | Points |\n| --- | --- |"


def test_pieces_cover_every_word(law: dict[str, Clause]) -> None:
    for clause in law.values():
        assert " ".join(texts(clause)).split() == clause.text.split()


def test_cells_and_rules() -> None:
    assert cells("| a | b \\| c |  |") == ["a", "b | c", ""]
    assert is_rule("| --- | :-: |")
    assert not is_rule("| a | b |")


def test_an_empty_clause_has_no_pieces(law: dict[str, Clause]) -> None:
    assert pieces(with_text(law["C4.1"], "")) == ()
