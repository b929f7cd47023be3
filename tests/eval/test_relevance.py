from __future__ import annotations

from eval_corpus import clause

from eval.gold import GoldQuestion
from eval.relevance import TextRelevance, grams, overlaps
from pipelines.schema import Status


def test_grams_leave_case_and_punctuation_out() -> None:
    assert grams("One, two; THREE four five.") == {("one", "two", "three", "four"), ("two", "three", "four", "five")}
    assert grams("Two words") == {("two", "words")}
    assert grams("…") == frozenset()


def test_half_of_either_side_is_enough() -> None:
    # 4 grams; the passage of 5 words holds 2 of them: half of the clause's.
    whole = grams("a b c d e f g")
    assert overlaps(grams("a b c d e"), whole)
    # A passage of 8 grams of which 2 are shared: a quarter of its own, half of the clause's 4.
    assert overlaps(grams("a b c d e t u v w x y"), whole)
    # One shared gram of 8 and of 4: less than half of either.
    assert not overlaps(grams("a b c d s t u v w x y"), whole)
    assert not overlaps(frozenset(), frozenset())


def test_an_article_is_answered_by_its_wording() -> None:
    relevance = TextRelevance([clause("B1.1", "the pit lane speed limit is 80km/h"), clause("B1.2", "other law here")])
    question = GoldQuestion("1", "?", ("B1.1",))
    assert relevance.answers(question, "… pit lane speed limit is 80km/h and") == {"B1.1"}
    assert relevance.answers(question, "other law here") == frozenset()


def test_an_appendix_wants_a_required_string_too() -> None:
    definition = clause("APP C1", "Car means a vehicle with four wheels on it", term="Car")
    question = GoldQuestion("1", "?", ("APP C1",), must_include=("four wheels",))
    relevance = TextRelevance([definition])
    assert relevance.answers(question, "car means a vehicle with four wheels on it") == {"APP C1"}
    assert relevance.answers(question, "car means a vehicle with") == frozenset()  # half of it, without the string


def test_the_law_in_force_counts_before_a_later_year() -> None:
    now = clause("B1.1", "the limit is 80 km an hour now")
    later = clause("B1.1", "the limit was set to sixty by then", id="B1.1~2027", status=Status.FUTURE)
    question = GoldQuestion("1", "?", ("B1.1",))
    assert TextRelevance([later, now]).answers(question, later.text) == frozenset()
    assert TextRelevance([later]).answers(question, later.text) == {"B1.1"}
