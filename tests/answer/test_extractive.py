from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pipelines.answer.cite import Cited, Citer, render
from pipelines.answer.extractive import Extract, Limits, extract
from pipelines.answer.pieces import pieces
from pipelines.answer.verify import Verifier
from pipelines.answer.words import WordStatistics
from pipelines.schema import Clause, Passage, SearchResult, Understood


@pytest.fixture(scope="module")
def statistics(law: dict[str, Clause]) -> WordStatistics:
    return WordStatistics(clause.text for clause in law.values())


def found(question: str, *passages: Passage) -> SearchResult:
    return SearchResult(question, Understood(question), passages, {})


def words_of(extracts: Sequence[Extract]) -> str:
    return " ".join(text for one in extracts for text in one.texts())


TIGHT = Limits(words=25, words_list=25, words_further=20)


def test_nothing_is_taken_from_nothing(law: dict[str, Clause], statistics: WordStatistics) -> None:
    assert extract(found("Pit lane speed?"), statistics) == ()
    void = Passage(replace(law["C4.1"], void=True), 1.0)
    assert extract(found("Mass?", void), statistics) == ()


def test_the_sentence_that_answers_is_taken_word_for_word(law: dict[str, Clause], statistics: WordStatistics) -> None:
    taken = extract(found("How fast may one go in the pit lane, what is the limit?", Passage(law["B1.6.3"], 1)),
                    statistics, limits=TIGHT)  # fmt: skip
    assert "A speed limit of 80km/h will be imposed in the Pit Lane during the whole Competition." in taken[0].texts()


def test_a_number_is_preferred_where_the_question_asks_for_one(
    law: dict[str, Clause], statistics: WordStatistics
) -> None:
    asked = found("how much is the driver fined?", Passage(law["B1.6.3"], 1))
    assert "100 euros" in words_of(extract(asked, statistics, limits=TIGHT))


def test_only_the_rows_that_answer_are_taken_under_their_header(
    law: dict[str, Clause], statistics: WordStatistics
) -> None:
    asked = found("points for 2nd", Passage(law["A2.2.1"], 1))
    taken = extract(asked, statistics, limits=Limits(rows=1, rows_whole=0))
    assert "| Position | Points |" in words_of(taken)
    assert "| 2nd | 18 |" in words_of(taken)
    assert "| 3rd | 15 |" not in words_of(taken)


def test_a_short_table_of_the_best_clause_is_given_whole(law: dict[str, Clause], statistics: WordStatistics) -> None:
    asked = found("points for 2nd", Passage(law["A2.2.1"], 1))
    rows = [piece for piece in pieces(law["A2.2.1"]) if piece.kind == "row"]
    for most, whole in ((len(rows), True), (len(rows) - 1, False)):
        taken = words_of(extract(asked, statistics, limits=Limits(rows=1, rows_whole=most)))
        assert all(law["A2.2.1"].text[row.start : row.end] in taken for row in rows) is whole


def test_rows_of_many_words_are_few(law: dict[str, Clause], statistics: WordStatistics) -> None:
    """A row has 11 words: one is always shown, more while they stay within the limit together."""
    rows = "\n".join(f"| {n} | points | {' '.join(['word'] * 9)} |" for n in range(1, 6))
    text = f"Points:\n| Position | What | Words |\n| --- | --- | --- |\n{rows}"
    clause = replace(law["A2.2.1"], text=text, tables=((text.index("|"), len(text)),), lines=())
    asked = found("how many points", Passage(clause, 1))
    for most, count in ((5, 1), (30, 2), (33, 3), (55, 5)):
        taken = words_of(extract(asked, statistics, limits=Limits(words_rows=most)))
        assert taken.count("| points |") == count, most


def test_a_further_clause_must_be_nearly_as_good(law: dict[str, Clause], statistics: WordStatistics) -> None:
    def search(second: float) -> SearchResult:
        first, last = Passage(law["C4.1"], 1.0), Passage(law["C9.9"], 0.2)  # a lead of 0.8 over the field
        return found("mass or speed", first, Passage(law["B1.6.3"], second), last)

    near, far = search(0.75), search(0.7)  # behind by less, and by more, than 0.32 of the lead
    assert [one.clause.article for one in extract(near, statistics)] == ["C4.1", "B1.6.3"]
    assert [one.clause.article for one in extract(far, statistics)] == ["C4.1"]


def test_the_budget_is_kept_and_a_single_long_sentence_is_still_given(
    law: dict[str, Clause], statistics: WordStatistics
) -> None:
    asked = found("fine in the pit lane", Passage(law["B1.6.3"], 1))
    assert len(words_of(extract(asked, statistics, limits=TIGHT)).split()) <= 25
    one = extract(asked, statistics, limits=Limits(words=3, words_list=3))
    assert len(one[0].spans) == 1


def with_list(clause: Clause) -> Clause:
    text = (
        "Nobody pays for another. A Financial Penalty is imposed on an individual only if this individual is:\n"
        "a. a Driver; or\nb. a Key Individual of a Competitor."
    )
    return replace(clause, text=text, tables=(), lines=())


@pytest.mark.parametrize(("over", "whole"), [(6, True), (5, False)])
def test_a_short_list_is_whole_where_it_hardly_exceeds_the_budget(
    law: dict[str, Clause], statistics: WordStatistics, over: int, whole: bool
) -> None:
    """The sentence, the lead-in and item a have 4, 13 and 4 words; item b has 7 and makes 28 of the budget of 22."""
    clause = with_list(law["C4.1"])

    def driver(question: str, clause: Clause, spans: Sequence[tuple[int, int]]) -> list[float]:
        return [3.0, 0.0, 2.0, 0.0]

    limits = Limits(words=22, words_list=4, over=over, keep=0.9)
    taken = words_of(extract(found("who?", Passage(clause, 1)), statistics, driver, limits))
    assert "a. a Driver" in taken
    assert ("Key Individual" in taken) is whole


def test_what_is_left_out_between_items_is_shown_as_left_out(law: dict[str, Clause]) -> None:
    clause = replace(law["B1.6.3"], text="Lead:\na. one;\nb. two;\nc. three.", lines=())
    first, last = (0, 13), (clause.text.index("c."), len(clause.text))
    assert render([Cited(clause, (first, last), ())]) == "Lead:\na. one; …\nc. three. [B1.6.3]"


def test_what_two_clauses_say_in_the_same_words_is_told_once(law: dict[str, Clause]) -> None:
    said = "Nobody may pass."
    first, second = (replace(law[name], text=said, lines=(), tables=()) for name in ("B1.6.3", "C4.1"))
    other = replace(law["C9.9"], text="Other words.", lines=(), tables=())
    cited = [Cited(clause, ((0, len(clause.text)),), ()) for clause in (first, other, second)]
    assert render(cited) == "Nobody may pass. [B1.6.3][C4.1]\n\nOther words. [C9.9]"


def test_a_scorer_decides_between_pieces(law: dict[str, Clause], statistics: WordStatistics) -> None:
    def reversing(question: str, clause: Clause, spans: Sequence[tuple[int, int]]) -> Sequence[float]:
        return [float("reversed" in clause.text[start:end]) * 10 for start, end in spans]

    asked = found("pit lane", Passage(law["B1.6.3"], 1))
    assert "reversed" in words_of(extract(asked, statistics, reversing, Limits(words=15, words_list=15)))


def test_the_rendered_answer_keeps_lines_gaps_and_names_its_article(law: dict[str, Clause]) -> None:
    clause = law["B1.6.3"]
    text = clause.text
    last = text.index("b. At")
    heading = (0, text.index("A speed") - 1)
    limit = (text.index("A speed"), text.index(" This limit"))
    item = (last, len(text))
    citer = Citer(Verifier())
    assert render([citer.cite(Extract(clause, (heading, limit, item), 1.0))]) == (
        "Driving in the Pit Lane\nA speed limit of 80km/h will be imposed in the Pit Lane during the whole Competition."
        " …\nb. At no time may a car be reversed in the Pit Lane under its own power. [B1.6.3]"
    )
    table = law["A2.2.1"]
    spans = tuple((piece.start, piece.end) for piece in pieces(table))
    assert render([citer.cite(Extract(table, spans, 1.0))]) == table.text.replace(":\n|", ":\n\n|") + "\n\n[A2.2.1]"
