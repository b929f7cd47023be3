from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.answer import fuller
from pipelines.answer.cite import Cited, render
from pipelines.answer.extractive import Extract
from pipelines.answer.fuller import BRIEF_WORDS, WORDS, answering
from pipelines.answer.words import WordStatistics
from pipelines.schema import Clause, Passage, SearchResult, Understood

SENTENCE = "The car must stop at line {} within the time that the official named in the notice sets for it."  # 20 words


@pytest.fixture(scope="module")
def statistics(law: dict[str, Clause]) -> WordStatistics:
    return WordStatistics(clause.text for clause in law.values())


def asked(law: dict[str, Clause], sentences: int) -> SearchResult:
    """A question to a clause of so many sentences of 20 words, clearly ahead of another."""
    text = "\n".join(SENTENCE.format(number) for number in range(sentences))
    long = replace(law["C4.1"], text=text, tables=(), lines=())
    passages = (Passage(long, 1.0), Passage(law["B1.6.3"], 0.2), Passage(law["C9.9"], 0.1))
    return SearchResult("Where must the car stop?", Understood("Where must the car stop?"), passages, {})


def length(extracts: tuple[Extract, ...]) -> int:
    return sum(len(text.split()) for one in extracts for text in one.texts())


def test_nothing_answers_without_passages(statistics: WordStatistics) -> None:
    assert answering(SearchResult("Mass?", Understood("Mass?"), (), {}), statistics) == ()


def test_a_short_clause_answers_whole_and_alone(law: dict[str, Clause], statistics: WordStatistics) -> None:
    (only,) = answering(asked(law, 3), statistics)
    assert only.clause.article == "C4.1"
    assert len(only.spans) == 3


@pytest.mark.parametrize("enough", [0.0, 100.0])
def test_what_a_brief_answer_may_lack_decides_how_much_is_told(
    law: dict[str, Clause], statistics: WordStatistics, monkeypatch: pytest.MonkeyPatch, enough: float
) -> None:
    monkeypatch.setattr(fuller, "ENOUGH", enough)
    told = length(answering(asked(law, 12), statistics))
    assert told <= BRIEF_WORDS if enough else BRIEF_WORDS < told <= WORDS


def test_no_piece_is_told_twice(
    law: dict[str, Clause], statistics: WordStatistics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuller, "ENOUGH", 0.0)
    spans = [(one.clause.id, span) for one in answering(asked(law, 12), statistics) for span in one.spans]
    assert len(spans) == len(set(spans)) > 4


def test_scores_in_any_order_are_weighed(law: dict[str, Clause], statistics: WordStatistics) -> None:
    result = asked(law, 12)
    assert answering(replace(result, passages=tuple(reversed(result.passages))), statistics)


def test_an_answer_that_comes_back_to_a_clause_says_so(law: dict[str, Clause]) -> None:
    clause = law["B1.6.3"]
    first, second = Cited(clause, ((0, 20),), ()), Cited(clause, ((21, 40),), ())
    assert [block[:2] == "… " for block in render([first, second]).split("\n\n")] == [False, True]


def test_a_brief_answer_is_filled_up_within_its_words(
    law: dict[str, Clause], statistics: WordStatistics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuller, "ENOUGH", 100.0)
    told = answering(asked(law, 12), statistics)
    assert 60 < length(told) + len(told) <= BRIEF_WORDS


def test_an_improbable_clause_is_not_told_besides(
    law: dict[str, Clause], statistics: WordStatistics, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = asked(law, 2)
    assert [one.clause.article for one in answering(result, statistics)] == ["C4.1"]
    monkeypatch.setattr(fuller, "LEAST_BRIEF", 0.0)
    assert len(answering(result, statistics)) > 1


@pytest.mark.parametrize("lead_in", ["Titles:", "Any supplier that wishes to supply the line with cars must:"])
def test_a_lead_in_is_not_told_without_what_it_leads_to(
    law: dict[str, Clause], statistics: WordStatistics, monkeypatch: pytest.MonkeyPatch, lead_in: str
) -> None:
    for name in ("ENOUGH", "LEAST"):
        monkeypatch.setattr(fuller, name, 0.0)
    result = asked(law, 5)
    text = f"{lead_in}\na. One is {'for the fastest driver of all ' * 40}."  # too long to be told
    listing = replace(result.passages[1].clause, text=text, lines=())
    result = replace(result, passages=(result.passages[0], replace(result.passages[1], clause=listing)))
    assert all(lead_in not in text for one in answering(result, statistics) for text in one.texts())


@pytest.mark.parametrize("enough", [0.0, 100.0])
@pytest.mark.parametrize("sentences", [3, 4, 7, 12])
def test_words_are_counted_as_they_are_shown(
    law: dict[str, Clause],
    statistics: WordStatistics,
    monkeypatch: pytest.MonkeyPatch,
    enough: float,
    sentences: int,
) -> None:
    """Articles of two words, ellipses where words were left out or a clause is told again: all are words."""
    monkeypatch.setattr(fuller, "ENOUGH", enough)
    monkeypatch.setattr(fuller, "LEAST_BRIEF", 0.0)
    result = asked(law, sentences)
    named = [
        replace(passage, clause=replace(passage.clause, article="APP C4")) if place == 1 else passage
        for place, passage in enumerate(result.passages)
    ]
    told = answering(replace(result, passages=tuple(named)), statistics)
    shown = render([Cited(one.clause, one.spans, ()) for one in told])
    assert len(shown.split()) <= (BRIEF_WORDS if enough else WORDS)


def test_the_best_clause_alone_answers_where_two_say_too_much(
    law: dict[str, Clause], statistics: WordStatistics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuller, "ENOUGH", 100.0)
    monkeypatch.setattr(fuller, "LEAST_BRIEF", 1.0)
    result = asked(law, 3)
    first = result.passages[0]
    endless = replace(law["B1.6.3"], text="The car must stop " + "and wait " * 40 + "there.", tables=(), lines=())
    rest = [Passage(law["C9.9"], 0.1)] * 5
    result = replace(result, passages=(first, Passage(endless, 0.99), *rest))
    (only,) = answering(result, statistics)
    assert only.clause.article == "C4.1"
    assert length((only,)) == 60
