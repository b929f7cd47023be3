from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.change import ChangeAsked, applies_in, change_asked, changed_spans, later_year, marked, merge_later
from pipelines.schema import Clause, Passage, Status


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What changed in B1.6?", ChangeAsked(("B1.6",))),
        ("what's new in section D", ChangeAsked((), "D")),
        ("what has changed in the pit lane rules?", ChangeAsked()),
        ("list the changes in C3 and c 4.1", ChangeAsked(("C3", "C4.1"))),
        ("Which clauses changed in B6?", ChangeAsked(("B6",))),
        ("any changes to B6.2 since the last issue?", ChangeAsked(("B6.2",))),
    ],
)
def test_questions_about_changes(question: str, asked: ChangeAsked) -> None:
    assert change_asked(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "What may be changed on the car in parc fermé?",
        "How much new material may be changed in C3?",
        "Set-up changes in a tyre test",
        "What changes to the tyres are allowed when a driver changes the car?",
        "When may a driver be changed?",
    ],
)
def test_other_questions_with_the_word(question: str) -> None:
    assert change_asked(question) is None


def test_later_years() -> None:
    assert later_year("and in 2027?", "2026") == "2027"
    assert later_year("in 2026 and 2028", "2026") == "2028"
    assert later_year("in 2026", "2026") == ""
    assert later_year("in 2027", "") == ""


def test_a_clause_applies_in_the_years_it_names(law: dict[str, Clause]) -> None:
    later = replace(law["C4.1"], status=Status.FUTURE, year="2027, 2028")
    assert applies_in(later, "2028")
    assert not applies_in(later, "2029")
    assert applies_in(replace(later, year=""), "2029")


def test_passages_of_the_year_come_first_and_those_of_other_years_not_at_all(law: dict[str, Clause]) -> None:
    now = [Passage(law["C4.1"], 1.0), Passage(law["B1.6.3"], 0.9)]
    right = Passage(replace(law["C9.9"], year="2027"), 0.8)
    wrong = Passage(replace(law["A2.2.1"], year="2029"), 0.9)
    assert merge_later(now, [wrong, right], "2027") == (right, *now)


def test_inserted_words_are_marked_within_their_lines_and_never_in_a_table(law: dict[str, Clause]) -> None:
    clause = replace(law["C4.1"], text="The mass is\n724kg now.\n| a | b |", inserted=((4, 17), (23, 32)))
    assert marked(clause, 0, len(clause.text)) == "The **mass is**\n**724kg** now.\n| a | b |"
    assert marked(clause, 4, 8) == "**mass**"
    assert marked(replace(clause, inserted=()), 0, 8) == "The mass"


def test_the_pieces_that_changed_stand_under_their_lead_in(law: dict[str, Clause]) -> None:
    text = "The car must:\na. stop;\nb. wait; and\nc. go."
    place = text.index("wait")
    clause = replace(law["C4.1"], text=text, lines=(), inserted=((place, place + 4),))
    assert [text[start:end] for start, end in changed_spans(clause)] == ["The car must:", "b. wait; and"]
    assert [text[start:end] for start, end in changed_spans(replace(clause, inserted=()))] == ["The car must:"]
