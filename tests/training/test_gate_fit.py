import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from pipelines.gate import FEATURES, load_parameters
from pipelines.schema import ReadResult
from scripts.training.gate import Sample, fit_gate, refused, save_gate
from scripts.training.gate_questions import made_up
from scripts.training.logistic import fit_logistic

NEAR_MISSES = Path(__file__).parents[2] / "eval" / "data" / "near_misses.jsonl"
PLAIN_QUESTIONS = NEAR_MISSES.with_name("plain.jsonl")


def samples(count: int, best: float, label: float, kind: str) -> list[Sample]:
    random = np.random.default_rng(len(kind))
    rows = []
    for n in range(count):
        shown = np.zeros(len(FEATURES) + 2)
        shown[0] = best + 0.05 * random.normal()
        rows.append(Sample(f"{kind} {n}", f"{kind} {n}", kind, shown, label))
    return rows


def test_logistic_finds_the_log_odds() -> None:
    # Where x is 1 three of four are 1, where it is 0 one of four: the odds are 3 and 1/3, the weight is ln 9.
    held = np.array([[1.0]] * 4 + [[0.0]] * 4)
    labels = np.array([1, 1, 1, 0, 1, 0, 0, 0], dtype=float)
    weights, bias = fit_logistic(held, labels, np.ones(8), np.array([1e-9]))
    assert weights[0] == pytest.approx(np.log(9), abs=1e-4)
    assert bias == pytest.approx(np.log(1 / 3), abs=1e-4)


def test_importance_counts_like_repetition() -> None:
    held, labels = np.array([[1.0], [1.0], [0.0], [0.0]]), np.array([1.0, 0.0, 1.0, 0.0])
    once = fit_logistic(held, labels, np.array([3.0, 1, 1, 3]), np.array([0.1]))
    again = fit_logistic(
        np.repeat(held, [3, 1, 1, 3], axis=0), np.repeat(labels, [3, 1, 1, 3]), np.ones(8), np.array([0.1])
    )
    assert once[0] == pytest.approx(again[0])


def test_a_penalty_shrinks_a_weight() -> None:
    held, labels = np.array([[1.0], [1.0], [0.0], [0.0]]), np.array([1.0, 1.0, 0.0, 0.0])
    weak, strong = (fit_logistic(held, labels, np.ones(4), np.array([p]))[0][0] for p in (0.1, 10.0))
    assert 0 < strong < weak


def test_the_gate_refuses_the_allowed_share_and_what_is_outside() -> None:
    answerable = samples(200, 0.8, 1.0, "answerable")
    outside = samples(60, 0.4, 0.0, "prices")
    gate, report = fit_gate([*answerable, *outside], answerable, "model", 0.02)
    assert report["unseen_answerable"] == 200
    assert 0.0 <= refused(gate, answerable) <= 0.04  # 2% of 200 are 4; the last fit sees a little more than the folds
    assert refused(gate, outside) == 1.0


def test_a_saved_gate_gives_the_same_probabilities(tmp_path: Path) -> None:
    answerable, outside = samples(40, 0.8, 1.0, "answerable"), samples(20, 0.4, 0.0, "prices")
    gate, _ = fit_gate([*answerable, *outside], answerable, "model", 0.02)
    save_gate(gate, tmp_path / "gate.json")
    loaded = load_parameters(tmp_path / "gate.json")
    for sample in (*answerable[:5], *outside[:5]):
        assert loaded.probability(sample.values) == pytest.approx(gate.probability(sample.values), abs=1e-3)


def test_made_up_questions_are_distinct() -> None:
    questions = made_up()
    assert len(questions) == len(set(questions)) > 150


def test_near_misses_are_split_by_kind() -> None:
    rows = [json.loads(line) for line in NEAR_MISSES.read_text(encoding="utf-8").splitlines()]
    kinds = {split: {row["kind"] for row in rows if row["split"] == split} for split in ("fit", "held-out")}
    assert kinds["fit"].isdisjoint(kinds["held-out"])
    assert len({row["question"] for row in rows}) == len(rows) >= 80
    assert min(Counter(row["kind"] for row in rows).values()) >= 8
    assert not {row["question"] for row in rows} & set(made_up())


def test_plain_questions_are_short_and_split_by_kind() -> None:
    rows = [json.loads(line) for line in PLAIN_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    kinds = {split: {row["kind"] for row in rows if row["split"] == split} for split in ("fit", "held-out")}
    assert kinds["fit"].isdisjoint(kinds["held-out"])
    assert len({row["question"] for row in rows}) == len(rows) >= 60
    assert min(Counter(row["split"] for row in rows).values()) >= 30
    assert max(len(row["question"].split()) for row in rows) <= 10
    assert all(row["articles"] for row in rows)


def test_every_article_of_the_plain_questions_is_in_the_regulations(february: Mapping[str, ReadResult]) -> None:
    rows = [json.loads(line) for line in PLAIN_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    articles = {clause.article for read in february.values() for clause in read.clauses if not clause.year}
    assert [row["id"] for row in rows if not set(row["articles"]) <= articles] == []
