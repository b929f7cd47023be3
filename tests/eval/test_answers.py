from __future__ import annotations

import pytest

from eval.answers import evaluate, first_words, percentile, words_without_tables
from eval.gold import GoldQuestion

GOLD = [
    GoldQuestion("1", "speed?", ("B1",), must_include=("80 km/h",), style="plain"),
    GoldQuestion("2", "fine?", ("B1",), must_include=("€100", "€1000"), style="plain"),
    GoldQuestion("3", "mass?", ("C4",), must_include=("724kg",), style="terse"),
    GoldQuestion("4", "points?", ("A2",), must_include=("25",), style="terse"),
    GoldQuestion("5", "gone?", ("A2",), must_include=("25",), style="terse"),
]


def answer(text: str, outcome: str = "answered", verified: tuple[bool, ...] = (True,)) -> dict[str, object]:
    return {"outcome": outcome, "answer": text, "citations": [{"verified": value} for value in verified]}


def test_every_average_is_over_all_gold_questions() -> None:
    report = evaluate(
        GOLD,
        {
            "1": answer("The limit is 80km/h."),  # 4 words, complete
            "2": answer("word " * 120 + "€100 €1000", verified=(True, False)),  # 122 words, complete but late
            "3": answer("724kg", "refused", ()),  # a refusal scores 0 whatever it says
            "4": answer("", "failed", ()),
        },
    )
    assert (report.n, report.answered, report.refused, report.failed, report.absent) == (5, 2, 1, 1, 1)
    assert report.complete == pytest.approx(2 / 5)
    assert report.complete_early == pytest.approx(1 / 5)
    assert report.by_style == {"plain": 1.0, "terse": 0.0}
    assert report.words_median == 63  # of 4 and 122
    assert report.words_p95 == 122
    assert report.verified == pytest.approx(2 / 3)
    assert report.missed == ("3", "4", "5")


def test_words_are_counted_without_tables_and_cut_after_whole_words() -> None:
    assert words_without_tables("two words\n| a | b |\n  | c | d |\nand more") == 4
    assert first_words("one two  three", 2) == "one two"
    assert first_words("one", 2) == "one"


def test_the_percentile_is_one_of_the_values() -> None:
    assert percentile(range(1, 21), 0.95) == 19  # 19 of 20 values do not exceed it
    assert percentile([7], 0.95) == 7
    assert percentile([], 0.95) == 0
