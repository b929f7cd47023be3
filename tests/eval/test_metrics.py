from __future__ import annotations

import math

import pytest

from eval.gold import GoldQuestion, Span
from eval.metrics import METRICS, Judged, first_hit, mean, ndcg, score, tells_all

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
    assert set(mean(rows)) == set(METRICS)


def test_the_last_ranks_that_count() -> None:
    question = GoldQuestion("1", "?", ("B1.1",))
    tenth = score(question, [NO] * 9 + [hit("B1.1")], [NO] * 29 + [hit("B1.1")])
    assert (tenth["hit5"], tenth["hit10"], tenth["mrr"]) == (0, 1, 0.1)
    assert tenth["ndcg10"] == pytest.approx(1 / math.log2(11))  # a gain at rank 10 over one at rank 1
    assert tenth["recall30_candidates"] == 1  # the 30th
    eleventh = score(question, [NO] * 10 + [hit("B1.1")], [])
    assert (eleventh["hit10"], eleventh["mrr"], eleventh["ndcg10"]) == (0, 0, 0)
    fifth = score(question, [NO] * 4 + [hit("B1.1")], [])
    assert (fifth["hit5"], fifth["recall5"], fifth["precision5"]) == (1, 1, 0.2)


def test_the_gain_of_a_list_never_exceeds_the_ideal_one() -> None:
    # What answers besides gains too: 1 + 1/log2(3) over an ideal of 1, which counts as 1.
    question = GoldQuestion("1", "?", ("B1.1",), also=("B9",))
    assert ndcg(question, [hit("B1.1"), hit("B9")]) == 1.0


def test_one_result_may_answer_two_articles() -> None:
    question = GoldQuestion("1", "?", ("B1.1", "B1.2"))
    scores = score(question, [hit("B1.1", "B1.2")], [])
    assert (scores["recall5"], scores["precision5"]) == (1, 1)
    assert scores["ndcg10"] == pytest.approx(1 / (1 + 1 / math.log2(3)))  # one place of the two an ideal list fills


def test_first_hit_is_a_rank_from_one_or_zero() -> None:
    assert first_hit([NO, hit("B1.1")]) == 2
    assert first_hit([NO]) == first_hit([]) == 0


def test_nothing_required_is_always_told() -> None:
    assert tells_all((), ())
    assert score(GoldQuestion("1", "?", ("B1.1",)), [], [])["required5"] == 1
