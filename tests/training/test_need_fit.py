from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.answer.pieces import pieces
from pipelines.answer.relevance import EncodedNode
from pipelines.late_interaction import FITTED_FOLDER
from pipelines.models.fitted import encoder
from pipelines.models.trees import Trees
from pipelines.schema import Clause, Passage, SearchResult, Understood
from pipelines.settings import Settings
from scripts.training.corpus import is_dev
from scripts.training.need import Mark, Rows, collect, export, fit, held_out, load_marks, log_odds, text_mark
from tests.index.fakes import make_clause

TEXT = """Cars must be weighed.
a. The mass must be at least 768 kg.
b. The driver sits in the car."""


def rows(count: int = 600) -> Rows:
    chance = np.random.default_rng(0)
    values = chance.normal(size=(count, 3)).astype(np.float32)
    labels = (values[:, 0] + 0.5 * values[:, 1] + 0.3 * chance.normal(size=count) > 0).astype(np.float64)
    weights = np.where(chance.random(count) < 0.1, 0.0, 1.0)
    group = np.arange(count) // 6
    return Rows(("one", "two", "three"), values, labels, weights, group, group % 5)


def test_the_exported_trees_give_the_odds_of_the_fitted_ones(tmp_path: Path) -> None:
    fitted, table = fit(rows()), rows()
    path = tmp_path / "trees.onnx"
    export(fitted, table.columns, path)
    trees = Trees(path)
    assert trees.columns == table.columns
    thresholds = [t for model in fitted for (stage,) in model.estimators_ for t in stage.tree_.threshold]
    # values right at the thresholds, in float32 as they are when answering, fall on the same side
    edges = np.float32(thresholds[:500])
    edge = np.stack([edges, edges, edges], axis=1)
    for values in (table.values, edge):
        got = trees(dict(zip(table.columns, values.T, strict=True)))
        assert got == pytest.approx(1 / (1 + np.exp(-log_odds(fitted, values))), abs=1e-5)


def test_a_fit_is_the_same_twice() -> None:
    assert np.array_equal(log_odds(fit(rows()), rows().values), log_odds(fit(rows()), rows().values))


def test_rows_of_no_weight_change_nothing() -> None:
    table = rows()
    other = replace(table, labels=np.where(table.weights > 0, table.labels, 1 - table.labels))
    assert np.array_equal(log_odds(fit(table), table.values), log_odds(fit(other), table.values))


def test_pieces_are_told_by_fits_that_did_not_see_their_articles() -> None:
    told = held_out(rows())
    assert told["area"] > 0.8
    shuffled = replace(rows(), labels=np.random.default_rng(1).permutation(rows().labels))
    assert held_out(shuffled)["area"] < 0.6


class Corpus:
    """A corpus of one clause, encoded by the shipped model."""

    def __init__(self, clause: Clause) -> None:
        self.clause = clause
        self._vectors = encoder(FITTED_FOLDER).passages([clause.text])[1]

    def clauses(self, article: str) -> Sequence[Clause]:
        return [self.clause] if article in ("", self.clause.article) else []

    def encoded(self, clause: Clause) -> Sequence[EncodedNode]:
        return [EncodedNode(clause.text, self._vectors[0])]

    def search(self, question: str, k: int) -> SearchResult:
        return SearchResult(question, Understood(question), (Passage(self.clause, 1.0),)[:k], {})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus(make_clause("C4.1", text=TEXT))


def test_marks_become_rows(corpus: Corpus) -> None:
    mark = Mark(1, text_mark(corpus.clause), len(pieces(corpus.clause)), (1,), (0,))
    settings = Settings(embed_model="fitted", reranker="fitted")
    made = collect(corpus, settings, [{"q": "What must the mass be?", "a": "C4.1"}], [mark])  # type: ignore[arg-type]
    assert made.labels.tolist() == [0.0, 1.0, 0.0]
    assert made.weights == pytest.approx([0.0, 3**-0.5, 3**-0.5])
    assert made.values.shape == (3, len(made.columns))
    assert made.values[:, made.columns.index("late")].argmax() == 1
    assert set(made.columns) >= {"late", "earned", "length"}


def test_marks_of_a_clause_that_reads_otherwise_are_left_out(corpus: Corpus) -> None:
    settings = Settings(embed_model="fitted", reranker="fitted")
    questions = [{"q": "What must the mass be?", "a": "C4.1"}]
    for mark in (Mark(1, "0" * 12, 3, (1,), ()), Mark(1, text_mark(corpus.clause), 7, (1,), ())):
        with pytest.raises(ValueError, match="no mark fits"):
            collect(corpus, settings, questions, [mark])  # type: ignore[arg-type]


def test_the_marks_name_pieces_that_there_are() -> None:
    marks = load_marks()
    assert len(marks) > 1500
    assert len({mark.line for mark in marks}) == len(marks)
    for mark in marks:
        assert mark.need, json.dumps(mark.line)
        assert not {*mark.need} & {*mark.also}
        assert max((*mark.need, *mark.also)) < mark.pieces


def test_no_mark_is_of_an_article_that_is_kept_for_development() -> None:
    path = Path(__file__).parents[2] / "../shared/train/questions.jsonl"
    if not path.is_file():
        pytest.skip("the training questions are not here")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert not [mark.line for mark in load_marks() if is_dev(json.loads(lines[mark.line - 1])["a"])]
