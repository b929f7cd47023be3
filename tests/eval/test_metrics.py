from __future__ import annotations

import math

import pytest

from eval.gold import GoldQuestion, Span
from eval.metrics import Judged, mean, score, tells_all

NO = Judged(frozenset(), "C", "nothing of it")


def hit(*answers: str, section: str = "B", text: str = "") -> Judged:
    return Judged(frozenset(answers), section, text)


def test_two_articles_of_which_one_is_second_and_one_is_sixth() -> None:
    question = GoldQuestion("1", "?", ("B1.1", "B1.2"), must_include=("80 km/h",))
    found = [NO, hit("B1.1", text="at 80km/h"), NO, NO, NO, hit("B1.2")]
    scores = score(question, found, [NO] * 30 + [hit("B1.1")])
    assert scores["hit1"] == 0
    assert scores["hit5"] == 1
    assert scores["mrr"] == 0.5  # the first hit is second
    assert scores["recall30_candidates"] == 0  # it is the 31st candidate
    assert scores["recall5"] == 0.5  # one of two articles
    assert scores["precision5"] == 0.2  # one of five results
    assert scores["f1_5"] == pytest.approx(2 * 0.2 * 0.5 / 0.7)
    assert scores["retrieval"] == pytest.approx((0.2 + 0.5 + 0.2 / 0.7) / 3)
    # gains at ranks 2 and 6 over gains at 1 and 2
    assert scores["ndcg10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(7)) / (1 + 1 / math.log2(3)))
    assert scores["section1"] == 0  # the first result is of Section C
    assert scores["required5"] == 1


def test_precision_is_over_what_was_returned() -> None:
    question = GoldQuestion("1", "?", ("B1.1",))
    scores = score(question, [hit("B1.1"), NO], [])
    assert scores["precision5"] == 0.5  # one of two, not of five
    assert scores["f1_5"] == pytest.approx(2 / 3)  # precision 1/2, recall 1
    assert scores["section1"] == 1


def test_the_same_article_twice_gains_once() -> None:
    question = GoldQuestion("1", "?", ("B1.1", "B1.2"))
    scores = score(question, [hit("B1.1"), hit("B1.1")], [])
    assert scores["ndcg10"] == pytest.approx(1 / (1 + 1 / math.log2(3)))  # the second result adds nothing
    assert scores["precision5"] == 1


def test_an_article_that_answers_besides_is_a_hit_and_not_recalled() -> None:
    scores = score(GoldQuestion("1", "?", ("B1.1",), also=("B9",)), [hit("B9")], [])
    assert (scores["hit1"], scores["recall5"], scores["f1_5"]) == (1, 0, 0)


def test_nothing_found_scores_nothing() -> None:
    scores = score(GoldQuestion("1", "?", ("B1.1",), must_include=("x",)), [], [])
    assert set(scores.values()) == {0.0}


def test_spans_are_recalled_by_name() -> None:
    question = GoldQuestion("1", "?", evidence=(Span("a.rst", 1, 9), Span("b.rst", 5, 6)))
    scores = score(question, [Judged(frozenset({"a.rst:1-9"}), "a.rst")], [])
    assert (scores["recall5"], scores["precision5"], scores["section1"]) == (0.5, 1, 1)


def test_required_strings_may_stand_in_different_texts() -> None:
    assert tells_all(("80 km/h", "Driver’s"), ("no more than 80km/h", "the DRIVER'S seat"))
    assert not tells_all(("80 km/h", "60 km/h"), ("no more than 80km/h",))


def test_the_mean_is_over_all_rows() -> None:
    rows = [score(GoldQuestion("1", "?", ("B1.1",)), found, []) for found in ([hit("B1.1")], [NO], [NO])]
    assert mean(rows)["hit1"] == 0.3333  # 1 of 3, to four decimals
