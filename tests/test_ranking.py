from dataclasses import replace
from typing import Any

import pytest
from index.fakes import make_clause

from pipelines.ranking import NAMED_LIFT, NEARNESS, NUMBER_LIFT, POINTER_COST, SECTION_LIFT, reranked
from pipelines.retrieve import Candidate
from pipelines.schema import Clause, Kind


def clause(article: str, section: str = "B", **changes: Any) -> Clause:
    made = make_clause(article, id=article, **changes)
    return replace(made, document=replace(made.document, section=section))


def candidate(article: str, section: str = "B", *, named: bool = False, **changes: Any) -> Candidate:
    return Candidate(clause(article, section, **changes), "", 0.0, named=named)


def order(found: list[Candidate]) -> list[str]:
    return [one.clause.article for one in found]


def test_a_clause_takes_its_best_nodes_score_and_what_was_left_out_comes_after() -> None:
    found = [candidate("B1"), candidate("B2"), candidate("B3")]
    ranked = reranked("", found, [("B2", 0.9), ("B1", 0.8), ("B2", 0.1)], late=False)
    assert order(ranked) == ["B2", "B1", "B3"]
    assert [one.score for one in ranked] == [0.9, 0.8, 0.8 - 1]
    assert [one.ranks.get("rerank") for one in ranked] == [1, 2, None]


def test_a_named_article_is_lifted() -> None:
    ranked = reranked("", [candidate("B1"), candidate("B2", named=True)], [("B1", 0.9), ("B2", 0.2)], late=False)
    assert [(one.clause.article, one.score) for one in ranked] == [("B2", 0.2 + NAMED_LIFT), ("B1", 0.9)]


def test_a_definition_that_only_points_stands_behind() -> None:
    pointer = candidate("APP D1", text='"Demand" has the meaning set out in Article D1.', kind=Kind.DEFINITION)
    ranked = reranked("", [pointer, candidate("B1")], [("APP D1", 0.9), ("B1", 0.9 - POINTER_COST / 2)], late=False)
    assert order(ranked) == ["B1", "APP D1"]


def test_of_twins_the_one_in_the_section_of_the_evidence_comes_first() -> None:
    found = [candidate("D1", "D"), candidate("E1", "E"), candidate("E2", "E"), candidate("E3", "E")]
    scores = [("D1", 0.700), ("E1", 0.695), ("E2", 0.690), ("E3", 0.690)]
    assert order(reranked("", found, scores, late=False))[0] == "D1"
    ranked = reranked("", found, scores, late=True)
    assert order(ranked)[0] == "E1"
    # Four witnesses nearly alike: about three quarters of the evidence lies in E.
    assert 0.70 < (ranked[0].score - 0.695) / SECTION_LIFT < 0.80


def test_evidence_does_not_outweigh_a_clear_lead() -> None:
    found = [candidate("D1", "D"), candidate("E1", "E"), candidate("E2", "E")]
    assert order(reranked("", found, [("D1", 0.8), ("E1", 0.7), ("E2", 0.7)], late=True))[0] == "D1"


def test_a_clause_whose_whole_text_lies_farther_stands_behind() -> None:
    found = [candidate("B1"), candidate("B2"), candidate("B3")]
    found[0].nearness, found[1].nearness = 0.5, 0.7
    scores = [("B1", 0.7), ("B2", 0.7 - NEARNESS * 0.1), ("B3", 0.2)]
    ranked = reranked("", found, scores, late=True)
    assert order(ranked) == ["B2", "B1", "B3"]
    by_article = {one.clause.article: one for one in ranked}
    for one in ranked:
        assert one.evidence is not None
        behind = {"B1": 0.2, "B2": 0.0, "B3": 0.0}[one.clause.article]  # B3 has no vector and is not moved
        assert one.score == pytest.approx(one.evidence - NEARNESS * behind)
    assert by_article["B1"].evidence > by_article["B2"].evidence  # type: ignore[operator]
    assert [one.evidence for one in reranked("", found, scores, late=False)] == [None, None, None]


def test_texts_that_are_no_regulations_are_not_moved_by_nearness() -> None:
    found = [candidate("B1"), candidate("B2")]
    for one, nearness in zip(found, (0.5, 0.7), strict=True):
        one.nearness = nearness
        one.clause = replace(one.clause, document=replace(one.clause.document, kind="text"))
    ranked = reranked("", found, [("B1", 0.7), ("B2", 0.69)], late=True)
    assert [(one.clause.article, one.score) for one in ranked] == [("B1", 0.7), ("B2", 0.69)]


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("a wing of 250 mm", 1.0),
        ("a wing of 250mm, tested at 1,000 N", 0.5),
        ("a wing of 250 kg", 0.0),
        ("a wing of 25", 0.0),
        ("Article C3.250", 0.0),
        ("a wing", 0.0),
    ],
)
def test_a_clause_with_the_numbers_of_the_question_is_lifted(question: str, share: float) -> None:
    with_number = candidate("B2", text="No wing may be wider than 250 mm.")
    scores = [("B1", 0.700), ("B2", 0.700)]
    found = {one.clause.id: one.score for one in reranked(question, [candidate("B1"), with_number], scores, late=True)}
    assert found["B2"] - found["B1"] == pytest.approx(share * NUMBER_LIFT)


def test_without_candidates_there_is_nothing() -> None:
    assert reranked("", [], [], late=True) == []


def test_of_clauses_alike_word_for_word_the_prevailing_section_comes_first() -> None:
    said = "The deadline is 30 June of year N-4."
    found = [candidate("C8", "C", text=said), candidate("A7", "A", text=said.replace(" ", "\n")), candidate("B1")]
    scores = [("C8", 0.8), ("B1", 0.75), ("A7", 0.7)]
    ranked = reranked("", found, scores, late=False)
    assert order(ranked) == ["A7", "C8", "B1"]
    assert [round(one.score, 3) for one in ranked] == [0.8, 0.8, 0.75]


def test_section_e_yields_to_none() -> None:
    found = [candidate("E1", "E", text="Alike."), candidate("A1", "A", text="Alike.")]
    assert order(reranked("", found, [("E1", 0.8), ("A1", 0.7)], late=False)) == ["E1", "A1"]
