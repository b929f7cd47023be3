from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.answer.grounding import Items, check, statements
from pipelines.schema import Clause, Passage, Status


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_statements_end_at_their_citation_or_line_however_the_text_arrives(size: int) -> None:
    text = "The limit is 80km/h [1]. It may be changed [1][2]. So:\n- one [3]\n- two [1, 2]\nNo citation"
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert list(statements(pieces)) == [
        ("", "The limit is 80km/h [1]."),
        (" ", "It may be changed [1][2]."),
        (" ", "So:"),
        ("\n", "- one [3]"),
        ("\n", "- two [1, 2]"),
        ("\n", "No citation"),
    ]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_citations_at_the_start_of_a_line_are_those_of_the_line(size: int) -> None:
    text = "[1] The limit is 80km/h. It may be changed.\n[2]: The mass is 724kg [3]. It is sealed [1].\n[1] [2]\n"
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert list(statements(pieces)) == [
        ("", "[1] The limit is 80km/h. It may be changed."),
        ("\n", "[2]: The mass is 724kg [3]."),
        (" ", "It is sealed [1]."),
        ("\n", "[1] [2]"),
    ]


@pytest.fixture
def given(law: dict[str, Clause]) -> dict[int, Passage]:
    return {1: Passage(law["B1.6.3"], 1.0), 3: Passage(law["C4.1"], 0.5)}


def test_a_statement_that_holds(given: dict[int, Passage]) -> None:
    statement = check("The limit is 80km/h [1].", given)
    assert statement.cited == (1,)
    assert statement.problems == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("The limit is 80km/h.", "no citation"),
        ("The limit is 80km/h [2].", "[2] is no passage that was given"),
        ("The limit is 60km/h [1].", "60 km/h is not in B1.6.3"),
        ("The mass is 80km/h [3].", "80 km/h is not in C4.1"),
        ("It says “the limit is for all the cars” [1].", "“the limit is for all the cars” is no wording of B1.6.3"),
    ],
)
def test_statements_that_do_not_hold(given: dict[int, Passage], text: str, problem: str) -> None:
    assert check(text, given).problems[0] == problem


def test_a_citation_before_a_statement_is_checked_as_one_behind_it(given: dict[int, Passage]) -> None:
    assert check("[1] The limit is 80km/h.", given).problems == ()
    assert check("[1] The limit is 60km/h.", given).problems[0] == "60 km/h is not in B1.6.3"


def test_a_true_quote_holds(given: dict[int, Passage]) -> None:
    assert check("It is “imposed in the Pit Lane during the whole Competition” [1].", given).problems == ()


def test_law_that_is_void_superseded_or_of_a_later_year_is_refused(law: dict[str, Clause]) -> None:
    clause = law["C4.1"]
    text = "The mass is 724kg [1]."
    assert check(text, {1: Passage(replace(clause, void=True), 1)}).problems == ("C4.1 is void",)
    old = replace(clause, status=Status.SUPERSEDED)
    assert check(text, {1: Passage(old, 1)}).problems == ("C4.1 is of a superseded issue",)
    later = replace(clause, status=Status.FUTURE, year="2027")
    assert check(text, {1: Passage(later, 1)}).problems == ("C4.1 is the text of 2027",)
    assert check(text, {1: Passage(later, 1)}, year="2027").problems == ()


def test_a_line_that_leads_on_needs_no_citation(given: dict[int, Passage]) -> None:
    assert not check("The penalties are:", given).says_something
    assert check("The penalties are:", given).problems == ()


@pytest.mark.parametrize("text", ["The limit is 90 km/h:", "Under C9.9 these 12 apply:", "Within twelve days:"])
def test_a_line_that_leads_on_with_a_number_or_an_id_needs_one(given: dict[int, Passage], text: str) -> None:
    statement = check(text, given)
    assert statement.says_something
    assert statement.problems[0] == "no citation"


def test_what_an_uncited_statement_claims_is_named(given: dict[int, Passage]) -> None:
    long = f"The limit is{' as everybody knows and as has long been said' * 3} 90 km/h under C9.9."
    assert check(long, given).problems == (
        "no citation",
        "nothing supports C9.9, 90 km/h",
    )


@pytest.mark.parametrize(
    "text",
    [
        "What is the speed limit in the pit lane? [1]",
        "What is the speed limit in the pit lane [1]",
        "Is a speed limit of 80km/h imposed in the Pit Lane? [1]",
    ],
)
def test_a_question_is_no_answer(given: dict[int, Passage], text: str) -> None:
    asked = "What is the speed limit in the pit lane?"
    assert check(text, given, question=asked).problems[-1] == "it repeats the question"
    assert check("The speed limit in the Pit Lane is 80km/h [1].", given, question=asked).problems == ()
    affirmed = "Is it so that this limit may be amended by the Race Director?"
    assert check("This limit may be amended by the Race Director [1].", given, question=affirmed).problems == ()


def test_the_numbers_of_a_models_own_list_become_bullets() -> None:
    items = Items()
    lines = ["1. The car stops.", "2) The car waits.", "- (3) It goes on.", "1. Another list.", "24. It is so."]
    assert [items.bulleted(line) for line in lines] == [
        "- The car stops.",
        "- The car waits.",
        "- It goes on.",
        "- Another list.",
        "24. It is so.",  # no list has come to 24: the number is an answer
    ]
    assert items.bulleted("2.5 mm is the most.") == "2.5 mm is the most."
