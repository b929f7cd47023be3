"""Extractive answers, refusals and failures, without a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.answer.answerer import Answerer
from pipelines.answer.refuse import CoverageGate, nearest
from pipelines.answer.words import WordStatistics
from pipelines.errors import IndexEmpty, SettingsError
from pipelines.schema import Answer, Clause, Failure, Filters, Passage, Refusal, SearchResult, Status, Understood
from pipelines.settings import Settings

from .law import PLAIN, FakeCorpus

QUESTION = "What is the speed limit in the pit lane?"


def settings(**options: object) -> Settings:
    return Settings(_env_file=None, **(PLAIN | options))


def test_an_answer_quotes_its_clause_and_cites_it(law: dict[str, Clause]) -> None:
    reply = Answerer(settings(), FakeCorpus([law["B1.6.3"], law["C4.1"]])).ask(QUESTION)
    assert isinstance(reply, Answer)
    assert "A speed limit of 80km/h will be imposed in the Pit Lane" in reply.text
    assert reply.text.endswith("[B1.6.3]")
    assert reply.model == "extractive"
    citation = reply.citations[0]
    assert (citation.article, citation.section, citation.issue, citation.page) == ("B1.6.3", "B", "05", 1)
    assert citation.verified
    assert set(reply.ms) >= {"search", "total"}


def test_the_stream_is_the_answer_line_by_line(law: dict[str, Clause]) -> None:
    *pieces, reply = Answerer(settings(), FakeCorpus([law["B1.6.3"]])).stream(QUESTION)
    assert isinstance(reply, Answer)
    assert "".join(piece for piece in pieces if isinstance(piece, str)) == reply.text
    assert len(pieces) > 1


def test_below_the_gate_the_question_is_refused_without_a_source(law: dict[str, Clause]) -> None:
    answerer = Answerer(settings(gate=0.5), FakeCorpus([law["B1.6.3"]]), gate=lambda result: 0.4)
    reply = answerer.ask("Who won in 1998?")
    assert isinstance(reply, Refusal)
    assert "Who won in 1998?" in reply.text
    assert reply.nearest == ("B1 PIT LANE",)
    assert reply.confidence == 0.4
    assert "80km/h" not in reply.text


def test_nothing_found_is_a_refusal() -> None:
    assert isinstance(Answerer(settings(), FakeCorpus([])).ask(QUESTION), Refusal)


def test_an_error_of_the_index_is_a_failure_with_its_fix(law: dict[str, Clause]) -> None:
    corpus = FakeCorpus([law["B1.6.3"]])
    corpus.error = IndexEmpty("nothing is indexed")
    reply = Answerer(settings(), corpus).ask(QUESTION)
    assert isinstance(reply, Failure)
    assert (reply.error_type, reply.message, reply.fix) == ("IndexEmpty", "nothing is indexed", IndexEmpty.fix)
    assert reply.outcome == "failed"


def test_wording_that_is_not_in_the_file_is_left_out_or_marked(law: dict[str, Clause]) -> None:
    altered = replace(law["B1.6.3"], text=law["B1.6.3"].text.replace("1000 euros", "2000 euros"))
    dropped = Answerer(settings(), FakeCorpus([altered])).ask(QUESTION)
    assert isinstance(dropped, Answer)
    assert "2000" not in dropped.text
    assert "B1.6.3: wording that could not be found again in its file was left out" in dropped.warnings
    marked = Answerer(settings(unverified="mark"), FakeCorpus([altered])).ask(QUESTION)
    assert isinstance(marked, Answer)
    assert "2000 euros. (unverified)" in marked.text
    assert all(citation.verified for citation in marked.citations)


def test_no_verified_wording_at_all_is_a_failure_not_a_refusal(law: dict[str, Clause]) -> None:
    moved = replace(law["C4.1"], document=replace(law["C4.1"].document, path="/gone/law.pdf"))
    reply = Answerer(settings(), FakeCorpus([moved])).ask(QUESTION)
    assert isinstance(reply, Failure)
    assert reply.error_type == "QuotesUnverified"
    assert reply.passages


def test_a_later_year_is_reached_and_labelled(law: dict[str, Clause]) -> None:
    later = replace(law["C9.9"], status=Status.FUTURE, year="2027")
    other = replace(law["B1.6.3"], status=Status.FUTURE, year="2029", id="other")
    corpus = FakeCorpus([law["C4.1"]], later=[other, later])
    reply = Answerer(settings(), corpus).ask("How is the gearbox sealed in 2027?")
    assert isinstance(reply, Answer)
    assert "[C9.9, 2027]" in reply.text
    assert [filters.status for _, filters in corpus.asked] == ["in_force", "future"]
    assert other.id not in {passage.clause.id for passage in reply.passages}
    this_year = FakeCorpus([law["C4.1"]], later=[later])
    Answerer(settings(), this_year).ask("How is the gearbox sealed in 2026?")
    assert len(this_year.asked) == 1


def test_a_conversation_too_long_is_trimmed_and_says_so(law: dict[str, Clause]) -> None:
    history = [QUESTION, *["and " + "very " * 30 + "late?"] * 4]
    reply = Answerer(settings(), FakeCorpus([law["B1.6.3"]])).ask("and in the sprint?", history=history)
    assert isinstance(reply, Answer)
    assert "left out" in reply.warnings[0]


def test_what_changed_lists_the_changed_clauses_with_marks(law: dict[str, Clause]) -> None:
    clause = law["B1.6.3"]
    start = clause.text.index("80km/h")
    touched = replace(clause, changed=True, inserted=((start, start + 6),))
    deleted = replace(law["B2.1.1"], changed=True)
    answerer = Answerer(settings(), FakeCorpus([touched, deleted, law["C4.1"]]))
    reply = answerer.ask("What changed in B1.6?")
    assert isinstance(reply, Answer)
    assert reply.text.startswith("1 clause is marked as changed in Section B issue 05 of 2026-02-27")
    assert "A speed limit of **80km/h** will be imposed" in reply.text
    assert "reversed" not in reply.text
    assert {citation.article for citation in reply.citations} == {"B1.6.3"}
    assert all("**" not in citation.quote and citation.verified for citation in reply.citations)
    section = answerer.ask("What changed in section B?")
    assert isinstance(section, Answer)
    assert section.text.startswith("2 clauses are marked")


def test_what_changed_where_nothing_did_says_so_and_where_nothing_is_refuses(law: dict[str, Clause]) -> None:
    answerer = Answerer(settings(), FakeCorpus([law["C4.1"]]))
    reply = answerer.ask("what changed in C4.1?")
    assert isinstance(reply, Answer)
    assert reply.text.startswith("Nothing is marked as changed in Section C issue 05")
    assert reply.citations[0].verified
    assert isinstance(answerer.ask("what changed in F9.9?"), Refusal)


def test_questions_are_logged_only_where_a_file_is_named(law: dict[str, Clause], tmp_path: Path) -> None:
    corpus = FakeCorpus([law["B1.6.3"]])
    path = tmp_path / "log" / "questions.jsonl"
    Answerer(settings(), corpus).ask(QUESTION)
    assert not path.exists()
    Answerer(settings(question_log=str(path)), corpus).ask("and in the sprint?", history=[QUESTION])
    line = json.loads(path.read_text(encoding="utf-8"))
    assert line["question"] == "and in the sprint?"
    assert line["history"] == [QUESTION]
    assert line["understood"]["question"] == f"{QUESTION} and in the sprint?"
    assert line["passages"][0]["article"] == "B1.6.3"
    assert line["outcome"] == "answered"
    assert line["citations"][0]["verified"]
    assert line["ms"]["total"] >= 0


@pytest.mark.parametrize(
    "options",
    [{"answer_mode": "llm"}, {"llm": "groq"}, {"llm": "custom", "llm_model": "x"}, {"llm_url": "http://x/v1"}],
)
def test_a_language_model_half_set_says_which_setting_is_missing(options: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as caught:
        Answerer(settings(**options), FakeCorpus([]))
    assert "TECHREG_LLM" in caught.value.fix


def test_extractive_mode_ignores_the_model_that_is_set() -> None:
    reply = Answerer(settings(answer_mode="extractive", llm="groq"), FakeCorpus([])).ask(QUESTION)
    assert isinstance(reply, Refusal)


@pytest.fixture
def coverage(law: dict[str, Clause]) -> Callable[[str], float]:
    gate = CoverageGate(WordStatistics(clause.text for clause in law.values()))
    passages = tuple(Passage(clause, 1.0) for clause in law.values())
    return lambda question: gate(SearchResult(question, Understood(question), passages, {}))


def test_the_gate_without_a_fit_is_the_covered_weight(coverage: Callable[[str], float]) -> None:
    assert coverage("speed limit in the Pit Lane") == 1.0
    assert coverage("asdf qwer zxcv") == 0.0
    assert coverage("the of and") == 0.0
    assert 0.0 < coverage("speed limit on the Nürburgring Nordschleife") < 0.5


def test_the_nearest_headings_are_named_once(law: dict[str, Clause]) -> None:
    assert nearest([Passage(law["C4.1"], 1.0), Passage(law["C4.1"], 0.9)]) == ("C4 MASS",)
    assert nearest([]) == ()


def test_filters_reach_the_search(law: dict[str, Clause]) -> None:
    corpus = FakeCorpus([law["C4.1"]])
    Answerer(settings(), corpus).ask("How heavy is the car?", Filters(section="C"))
    assert corpus.asked[0][1].section == "C"
