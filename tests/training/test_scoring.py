import itertools

import numpy as np
import pytest

from scripts.training.corpus import Passage, Question, build_corpus
from scripts.training.fit import Group, clustered
from scripts.training.lexical import Bm25
from scripts.training.scoring import measure, standardized


def passages(*articles: str) -> list[Passage]:
    return [Passage(article, article, (), article[0], "", article) for article in articles]


def test_measures_are_shares_of_all_questions() -> None:
    corpus = build_corpus(passages("B1", "B2", "B3"), [Question("first", "B1"), Question("third", "B1")])
    scores = np.array([[0.9, 0.5, 0.1], [0.1, 0.5, 0.9]], dtype=np.float32)
    found = measure(scores, corpus.questions, corpus)
    # Ranks 1 and 3: half are first, all are in five; the mean reciprocal is (1 + 1/3) / 2 = 2/3.
    assert (found.hit1, found.hit5, found.n) == (0.5, 1.0, 2)
    assert found.mrr == pytest.approx(2 / 3)


def test_passages_of_one_article_count_once() -> None:
    corpus = build_corpus(passages("B2", "B2", "B2", "B1"), [Question("after", "B1")])
    scores = np.array([[0.9, 0.8, 0.7, 0.1]], dtype=np.float32)
    # Three passages stand before it, of one article: it is second.
    assert measure(scores, corpus.questions, corpus).mrr == pytest.approx(0.5)


def test_what_is_not_known_comes_last() -> None:
    scores = np.array([[1.0, 3.0, -1.0]], dtype=np.float32)
    # Known are 1 and 3: mean 2, deviation 1.
    assert standardized(scores, scores > -1).tolist() == [[-1.0, 1.0, -10.0]]


def test_equal_scores_stay_equal() -> None:
    assert standardized(np.full((1, 3), 2.0, dtype=np.float32)).tolist() == [[0.0, 0.0, 0.0]]


def test_bm25_prefers_the_rare_word_and_the_short_text() -> None:
    bm25 = Bm25(["tyre sets for the race", "tyre sets for the race and a winglet", "race"])
    assert int(bm25.scores("winglets").argmax()) == 1
    assert int(bm25.scores("race").argmax()) == 2
    assert bm25.scores("helicopter").tolist() == [0.0, 0.0, 0.0]


def test_a_step_holds_passages_that_look_alike() -> None:
    from random import Random

    groups = [Group(i, (i,), ((i + 1) % 40, (i + 2) % 40)) for i in range(40)]
    order = clustered(groups, 3, Random(5))
    assert sorted(g.passage for g in order) == list(range(40))
    together = sum(1 for one, other in itertools.pairwise(order) if other.passage in one.negatives)
    shuffled = Random(5).sample(groups, 40)
    assert together > 2 * sum(1 for one, other in itertools.pairwise(shuffled) if other.passage in one.negatives)
