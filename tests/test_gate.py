from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.answer.refuse import CoverageGate
from pipelines.answer.words import WordStatistics
from pipelines.errors import ModelNotFound
from pipelines.gate import FEATURES, FittedGate, GateParameters, features, load_gate, load_parameters, values
from pipelines.late_interaction import QuestionVectors
from pipelines.outside import SIGNS, signs, unknown_names
from pipelines.schema import Clause, Document, Kind, Passage, SearchResult, Understood
from pipelines.settings import Settings

STATISTICS = WordStatistics(["wing width", "wing height", "fuel"])


class NoEncoder:
    """Every question has the same vector of two values."""

    def question(self, text: str) -> QuestionVectors:
        return QuestionVectors(
            np.array([0.6, 0.8], dtype=np.float32), np.eye(2, dtype=np.float32), np.array([0.5, 0.5], dtype=np.float32)
        )


def clause(text: str, kind: str = "regulation") -> Clause:
    document = Document("c.pdf", "0", kind, "C", "", "13", "2025-07-31", "2026", 9)
    return Clause(text, document, Kind.CLAUSE, "C3.1", "C3.1", "", text, 1, 1)


def result(question: str, *found: tuple[str, float], kind: str = "regulation", named: bool = False) -> SearchResult:
    passages = tuple(Passage(clause(text, kind), score) for text, score in found)
    return SearchResult(question, Understood(question, articles=("C3.1",) if named else ()), passages, {})


def parameters(**weights: float) -> GateParameters:
    size = len(FEATURES) + 2
    given = np.array([weights.get(name, 0.0) for name in FEATURES] + [0.0, 0.0])
    return GateParameters(np.zeros(size), np.ones(size), given, weights.get("bias", 0.0), "model")


def gate(**weights: float) -> FittedGate:
    return FittedGate(parameters(**weights), NoEncoder(), STATISTICS, CoverageGate(STATISTICS))  # type: ignore[arg-type]


def test_features_of_a_question() -> None:
    shown = features(
        "wing width helicopter",
        [0.9, 0.5, 0.4],
        [clause("wing width"), clause("wing"), clause("fuel")],
        STATISTICS,
        named=False,
    )
    found = dict(zip(FEATURES, shown, strict=True))
    # Wing is in two of three texts, width in one, helicopter in none: ln(1 + 1.5 / 2.5), and so on.
    weights = [np.log(1 + 1.5 / 2.5), np.log(1 + 2.5 / 1.5), np.log(1 + 3.5 / 0.5)]
    assert found["best"] == pytest.approx(0.9)
    assert found["margin"] == pytest.approx(0.45)
    assert found["covered"] == pytest.approx((weights[0] + weights[1]) / sum(weights))
    assert found["unknown"] == pytest.approx(weights[2] / sum(weights))
    assert found["another_series"] == found["unknown_names"] == 0.0


def test_a_word_that_the_glossary_explains_is_known_and_held_by_what_is_written_for_it() -> None:
    statistics = WordStatistics(["minimum mass", "fuel"])
    shown = features("weight", [0.7, 0.6], [clause("minimum mass"), clause("fuel")], statistics, named=False)
    found = dict(zip(FEATURES, shown, strict=True))
    assert found["unknown"] == 0.0
    assert found["covered"] == 1.0
    shown = features("weight", [0.7, 0.6], [clause("fuel"), clause("fuel")], statistics, named=False)
    assert dict(zip(FEATURES, shown, strict=True))["covered"] == 0.0


def test_a_passage_holds_as_much_of_an_everyday_word_as_of_what_is_written_for_it() -> None:
    statistics = WordStatistics(["energy store", "energy", "fuel"])
    shown = features("battery", [0.7], [clause("energy")], statistics, named=False)
    assert dict(zip(FEATURES, shown, strict=True))["covered"] == pytest.approx(1 / 3)  # of energy, store and es


def test_an_everyday_name_is_no_unknown_one() -> None:
    statistics = WordStatistics(["no braking system may prevent wheels from locking"])
    explained = dict(zip(FEATURES, features("Is ABS legal", [0.7], [], statistics, named=False), strict=True))
    unknown = dict(zip(FEATURES, features("Is XYZ legal", [0.7], [], statistics, named=False), strict=True))
    assert (explained["unknown_names"], unknown["unknown_names"]) == (0.0, 1.0)


def test_the_length_of_a_question_alone_changes_nothing() -> None:
    brief, long = "wing", "Could you please tell me if there may be a wing"
    assert features(brief, [0.7], [clause("wing")], STATISTICS, named=False) == pytest.approx(
        features(long, [0.7], [clause("wing")], STATISTICS, named=False)
    )


def test_the_lift_of_a_named_article_is_no_likeness() -> None:
    shown = features("C3.1", [1.4, 0.9], [clause("wing"), clause("fuel")], STATISTICS, named=True)
    assert dict(zip(FEATURES, shown, strict=True))["best"] == pytest.approx(0.9)


def test_what_the_dense_vectors_take_from_a_score_is_not_the_gates_matter() -> None:
    asked = result("Which wing?", ("The wing must be stiff.", 0.7), ("The floor must be flat.", 0.5))
    moved = (
        replace(asked.passages[0], score=0.69, evidence=0.7),
        replace(asked.passages[1], score=0.4, evidence=0.5),
    )
    judge = gate(best=1.0, margin=1.0)
    assert judge(replace(asked, passages=moved)) == judge(asked)


def test_a_single_passage_has_no_margin() -> None:
    assert features("wing", [0.7], [clause("wing")], STATISTICS, named=False)[1] == 0.0


def test_a_question_without_words_has_features() -> None:
    assert np.isfinite(features("?", [0.7], [clause("wing")], STATISTICS, named=False)).all()


def test_values_end_in_the_questions_vector() -> None:
    found = values(result("wing", ("wing", 0.8)), NoEncoder(), STATISTICS)  # type: ignore[arg-type]
    assert found[-2:] == pytest.approx([0.6, 0.8])


def test_the_probability_is_the_logistic_of_the_weighted_features() -> None:
    # 2 * 0.8 - 1.6 = 0, whose logistic is a half; without the bias it is 1 / (1 + exp(-1.6)).
    assert gate(best=2.0, bias=-1.6)(result("wing", ("wing", 0.8))) == pytest.approx(0.5)
    assert gate(best=2.0)(result("wing", ("wing", 0.8))) == pytest.approx(1 / (1 + np.exp(-1.6)))


def test_nothing_found_is_never_an_answer() -> None:
    assert gate(bias=20.0)(result("wing")) == 0.0


def test_other_documents_are_judged_by_coverage() -> None:
    other = result("wing", ("wing", 0.8), kind="document")
    assert gate(bias=-20.0)(other) == CoverageGate(STATISTICS)(other) > 0.5


@pytest.mark.parametrize(
    "text", ["", "{}", json.dumps({"features": ["others"]}), json.dumps({"features": list(FEATURES)})]
)
def test_a_file_that_is_no_gate_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "gate.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelNotFound, match=r"gate\.json cannot be read"):
        load_parameters(tmp_path / "gate.json")


def test_other_models_keep_the_plain_gate() -> None:
    assert isinstance(load_gate(Settings(embed_model="packaged", reranker="none"), STATISTICS), CoverageGate)


def test_the_shipped_gate_belongs_to_the_shipped_model() -> None:
    assert isinstance(load_gate(Settings(embed_model="fitted", reranker="fitted"), STATISTICS), FittedGate)


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("What is the minimum weight of an IndyCar?", {"another_series"}),
        ("How many points does a Formula 2 driver get?", {"another_series"}),
        ("Who won the race at Spa in 2021?", {"the_past", "who_or_where"}),
        ("How much does a grandstand ticket cost?", {"a_price"}),
        ("Write a poem about tyres", {"a_request"}),
        ("How many sets of tyres may a driver use?", set()),
        ("How wide may the rear wing of a Formula 1 car be?", set()),
    ],
)
def test_signs_of_a_question_from_outside(question: str, shown: set[str]) -> None:
    assert {name for name, sign in zip(SIGNS, signs(question), strict=True) if sign} == shown


def test_names_that_no_clause_has_are_counted() -> None:
    assert unknown_names("Which Wing does Ferrari use at Monza with Pirelli?", STATISTICS) == 2.0
    assert unknown_names("Ferrari", STATISTICS) == 0.0  # every first word is capitalized
