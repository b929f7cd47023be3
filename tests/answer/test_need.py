from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.answer import need
from pipelines.answer.extractive import Weighed
from pipelines.answer.need import chances, fitted_trees
from pipelines.answer.need_features import features
from pipelines.answer.ports import PieceMatches
from pipelines.answer.words import WordStatistics
from pipelines.errors import ModelNotFound
from pipelines.models.trees import Trees
from pipelines.schema import Clause, Passage, SearchResult, Understood

QUESTION = "Who may change the tyres within 10 seconds, except in the pit lane?"
TEXT = """The following apply to tyres:
a. Mechanics may change the tyres within 10 seconds.
b. The Stewards may impose a penalty, except in the pit lane.
Nobody knows about wings."""


class Matcher:
    """Token matches as given: a row for each piece, two tokens."""

    def __init__(self, tokens: Sequence[tuple[float, float]], heading: tuple[float, float] = (0.0, 0.0)) -> None:
        self.tokens = np.array(tokens, dtype=np.float32)
        self.heading = np.array(heading, dtype=np.float32)

    def __call__(self, question: str, clause: Clause, spans: Sequence[tuple[int, int]]) -> Sequence[float]:
        return self.matches(question, clause, spans).scores

    def matches(self, question: str, clause: Clause, spans: Sequence[tuple[int, int]]) -> PieceMatches:
        weights = np.array([0.75, 0.25], dtype=np.float32)
        tokens = self.tokens[: len(spans)]
        return PieceMatches(tokens, self.heading, weights, tuple(float(score) for score in tokens @ weights))


MATCHER = Matcher([(0.2, 0.2), (0.8, 0.4), (0.4, 0.8), (0.0, 0.0)], heading=(0.4, 0.0))


@pytest.fixture
def clause(law: dict[str, Clause]) -> Clause:
    return replace(law["C4.1"], text=TEXT, tables=(), lines=())


def weighed(clause: Clause, question: str = QUESTION, scorer: Matcher | None = MATCHER) -> Weighed:
    result = SearchResult(question, Understood(question), (Passage(clause, 1.0),), {})
    return Weighed(result, WordStatistics([TEXT, "wings and floors"]), scorer)


def table(clause: Clause, question: str = QUESTION, scorer: Matcher = MATCHER) -> dict[str, list[float]]:
    one = weighed(clause, question, scorer)
    matches = one.matches(clause)
    assert matches is not None
    found = features(one.question, clause, one.candidates(clause), matches)
    return {name: [round(float(value), 4) for value in column] for name, column in found.items()}


def test_what_is_told_of_the_pieces_of_a_clause(clause: Clause) -> None:
    found = table(clause)
    assert found["late"] == [0.2, 0.7, 0.5, 0.0]
    assert found["late_behind"] == [-0.5, 0.0, -0.2, -0.7]
    assert found["before"] == [-0.1, -0.5, 0.2, 0.5]
    assert found["after"] == [0.5, -0.2, -0.5, -0.1]
    # beyond a heading that matches the first token with 0.4: (0.8 - 0.4) * 0.75 + 0.4 * 0.25, and 0.8 * 0.25
    assert found["beyond_heading"] == [0.05, 0.4, 0.2, 0.0]
    assert found["best_matches"] == [0.0, 0.75, 0.25, 0.0]
    assert found["depth"] == [0, 1, 1, 0]
    assert found["leads"] == [1, 0, 0, 0]
    assert found["item"] == [0, 1, 1, 0]
    assert found["has_a_number_asked"] == [0, 1, 0, 0]
    assert found["says_exception"] == [0, 0, 1, 0]
    assert found["who_and_body"] == [0, 0, 1, 0]
    assert found["when_and_time"] == [0, 0, 0, 0]  # nobody asked when
    assert found["exception_and_exception"] == [0, 0, 1, 0]
    assert sum(found["best"]) == 1
    assert found["ahead"][found["best"].index(1)] == 0


def test_a_clause_of_one_piece_has_features(clause: Clause) -> None:
    found = table(replace(clause, text="The tyres may be changed."))
    assert all(np.isfinite(column).all() and len(column) == 1 for column in found.values())
    assert found["late_share"] == found["earned_share"] == [1.0]


def test_every_column_of_the_shipped_trees_is_told(clause: Clause) -> None:
    assert set(fitted_trees().columns) == set(table(clause))


def test_the_more_relevant_piece_is_needed_more_probably(clause: Clause) -> None:
    for scorer in (MATCHER, None):
        found = chances(clause, weighed(clause, scorer=scorer))
        assert len(found) == 4
        assert all(0.0 < chance < 1.0 for chance in found)
        assert found[1] > found[3]


def test_columns_are_taken_by_name(clause: Clause) -> None:
    one = weighed(clause)
    matches = one.matches(clause)
    assert matches is not None
    columns = features(one.question, clause, one.candidates(clause), matches)
    assert fitted_trees()(dict(reversed(columns.items()))) == fitted_trees()(columns)
    del columns["late"]
    with pytest.raises(KeyError):
        fitted_trees()(columns)


def test_a_clause_without_words_has_no_chances(clause: Clause) -> None:
    empty = replace(clause, text="")
    assert chances(empty, weighed(empty)) == []


@pytest.mark.parametrize("content", [None, b"", b"no model"])
def test_trees_that_cannot_be_loaded_are_told(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "need.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelNotFound, match=r"need\.onnx cannot be loaded"):
        Trees(path)


def test_the_trees_are_small() -> None:
    assert need.NEED_FILE.stat().st_size < 1_000_000
