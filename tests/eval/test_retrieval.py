from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from eval_corpus import Scripted, clause, passage, write_jsonl

from eval import retrieval_page
from eval.gold import GoldQuestion
from eval.retrieval import evaluate, evaluate_results, lost_by
from eval.retrieval import report as summary
from pipelines.errors import UsageError
from pipelines.schema import Filters

CLAUSES = [clause("B1.1"), clause("B1.2"), clause("C4.1", "The mass must be 768kg at least at all times.")]
GOLD = [
    {"id": "1", "question": "first", "articles": ["B1.1"], "style": "plain"},
    {"id": "2", "question": "second", "articles": ["B1.2"], "style": "plain"},
    {"id": "3", "question": "broken", "articles": ["C4.1"], "style": "terse"},
]
RESULTS = {"first": ["B1.1", "C4.1"], "second": ["C4.1", "B1.2"]}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "gold.jsonl", GOLD)


def test_a_failed_question_scores_zero_and_is_counted_apart(gold: Path) -> None:
    report = evaluate(gold, Scripted(CLAUSES, RESULTS))
    assert report.counts == {"attempted": 3, "scored": 2, "failed": 1, "not_applicable": 0}
    assert report.metrics["hit1"] == 0.3333  # 1, 0 and 0 for the failed one
    assert report.metrics["mrr"] == 0.5  # 1, 1/2 and 0
    assert report.by_style["plain"] == report.by_style["plain"] | {"n": 2, "hit1": 0.5, "mrr": 0.75}
    assert report.by_section["C"] == report.by_section["C"] | {"n": 1, "hit1": 0.0}
    assert [miss.stage for miss in report.misses] == ["ranking", "error: the index is gone"]
    assert report.misses[0].rank == 2


def test_before_reranking_is_scored_on_the_candidates(gold: Path) -> None:
    searcher = Scripted(CLAUSES, RESULTS, candidates={"second": ["B1.2", "C4.1"], "first": ["B1.1"]})
    report = evaluate(gold, searcher)
    assert report.metrics["hit1"] == 0.3333
    assert report.before_reranking["hit1"] == 0.6667  # both that did not fail


def test_the_stage_that_lost_a_clause() -> None:
    question = GoldQuestion("2", "second", ("B1.2",))

    def lost(ranks: dict[str, int], candidates: list[str] | None = None) -> str:
        searcher = Scripted(CLAUSES, RESULTS, {"second": candidates or ["B1.2"]}, {"B1.2": ranks})
        return lost_by(question, searcher, None, CLAUSES)

    assert lost({"fused": 1, "dense": 3}) == "rerank"
    assert lost({"fused": 2, "dense": 1}) == "fusion"
    assert lost({"fused": 2, "dense": 2, "sparse": 4}) == "ranking"
    assert lost({}, ["C4.1"]) == "candidates"
    assert lost_by(GoldQuestion("9", "second", ("F9",)), Scripted(CLAUSES, RESULTS), None, CLAUSES) == "not indexed"


def test_line_spans_are_scored_as_the_published_metric(tmp_path: Path) -> None:
    passages = [passage("a.rst", 1, 10), passage("a.rst", 11, 20), passage("b.rst", 1, 10)]
    evidence = [{"file": "a.rst", "lines": [5, 12]}, {"file": "b.rst", "lines": [90, 99]}]
    path = write_jsonl(tmp_path / "gold.jsonl", [{"id": "1", "question": "q", "evidence": evidence}])
    report = evaluate(path, Scripted(passages, {"q": ["a.rst/1", "a.rst/11", "b.rst/1"]}))
    assert report.metrics["precision5"] == 0.6667  # two of three passages overlap with a span
    assert report.metrics["recall5"] == 0.5  # one of two spans
    assert report.metrics["f1_5"] == 0.5714  # 2 · 2/3 · 1/2 / (7/6) = 4/7
    assert report.metrics["retrieval"] == 0.5794  # (2/3 + 1/2 + 4/7) / 3


def test_by_wording_a_system_without_ids_is_scored_on_the_same_gold(gold: Path, tmp_path: Path) -> None:
    given = write_jsonl(
        tmp_path / "results.jsonl",
        [
            {"id": "3", "results": [{"text": "unrelated"}, {"text": "mass must be 768kg at least at", "section": "C"}]},
            {"id": "2", "results": []},
        ],
    )
    report = evaluate_results(gold, given, CLAUSES)
    assert report.counts == {"attempted": 3, "scored": 2, "failed": 1, "not_applicable": 0}  # no line for question 1
    # Question 3: of the clause's 6 grams (9 words) the second passage, 6 words, holds 3: half of them.
    assert report.metrics["mrr"] == 0.1667  # (0 + 0 + 1/2) / 3
    with pytest.raises(UsageError, match="line 1"):
        evaluate_results(gold, write_jsonl(tmp_path / "bad.jsonl", [{"id": "1"}]), CLAUSES)


def test_results_with_lines_are_scored_by_span(tmp_path: Path) -> None:
    row = {"id": "1", "question": "q", "evidence": [{"file": "a.rst", "lines": [5, 12]}]}
    gold = write_jsonl(tmp_path / "gold.jsonl", [row])
    results = [{"file": "docs/a.rst", "lines": [12, 13], "text": ""}, {"file": "a.rst", "text": "no lines"}]
    report = evaluate_results(gold, write_jsonl(tmp_path / "r.jsonl", [{"id": "1", "results": results}]), [])
    assert report.metrics["precision5"] == 0.5


def test_the_files_hold_every_question_and_ask_nothing_of_a_network(gold: Path, tmp_path: Path) -> None:
    report = evaluate(gold, Scripted(CLAUSES, RESULTS))
    written = retrieval_page.write(report, tmp_path / "out", "A <title>")
    names = {path.name: path.read_text(encoding="utf-8") for path in written}
    assert set(names) == {"questions.csv", "report.json", "report.md", "report.html"}
    assert len(names["questions.csv"].splitlines()) == 4
    assert json.loads(names["report.json"])["metrics"]["hit1"] == 0.3333
    assert "| hit1 | 0.333 |" in names["report.md"]
    page = names["report.html"].replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "<svg" in page
    assert "A &lt;title&gt;" in page
    assert not any(mark in page for mark in ("http:", "https:", "src=", "href=", "<script", "@import", "url("))


def test_means_have_intervals_and_are_told_by_style_and_by_every_section(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "first", "articles": ["B1.1"], "also": ["C4.1"], "style": "plain"},
        {"id": "2", "question": "second", "articles": ["B1.2"]},
    ]
    report = evaluate(write_jsonl(tmp_path / "gold.jsonl", rows), Scripted(CLAUSES, RESULTS))
    assert report.metrics["hit1"] == 0.5  # the second question's first result is another clause
    # Drawing two of {0, 1}: means 0, 1/2, 1 with chances 1/4, 1/2, 1/4; the tails of 2.5% lie in the outer two.
    assert report.intervals["hit1"] == (0.0, 1.0)
    assert set(report.by_style) == {"plain"}  # a question without a style is in no group
    assert (report.by_section["B"]["n"], report.by_section["C"]["n"]) == (2, 1)  # the first belongs to both
    assert report.by_section["C"]["hit1"] == 1.0
    assert report.section_intervals["C"]["hit1"] == (1.0, 1.0)
    assert report.style_intervals["plain"]["mrr"] == (1.0, 1.0)
    assert "rows" not in report.as_dict()
    assert report.as_dict()["misses"][0]["wanted"] == ("B1.2",)


def test_a_miss_tells_what_was_wanted_and_what_came(tmp_path: Path) -> None:
    row = {"id": "2", "question": "second", "articles": ["B1.2"], "also": ["B1.1"]}
    (miss,) = evaluate(write_jsonl(tmp_path / "gold.jsonl", [row]), Scripted(CLAUSES, RESULTS)).misses
    assert (miss.id, miss.question, miss.rank) == ("2", "second", 2)
    assert miss.wanted == ("B1.2", "B1.1")
    assert miss.got == ("C4.1", "B1.2")


def test_every_question_is_searched_with_its_history_and_the_filters(gold: Path, tmp_path: Path) -> None:
    rows = [{"id": "1", "question": "first", "articles": ["B1.1"], "history": ["before"]}]
    searcher, filters, told = Scripted(CLAUSES, RESULTS), Filters("B"), list[tuple[int, int]]()
    path = write_jsonl(tmp_path / "one.jsonl", rows)
    evaluate(path, searcher, k=3, filters=filters, progress=lambda *done: told.append(done))
    warm, asked = searcher.asked
    assert warm[0] == "first"
    assert asked == ("first", 10, filters, ("before",))  # at least ten results, for the metrics at ten
    assert told == [(1, 1)]
    told.clear()
    evaluate(gold, searcher, progress=lambda *done: told.append(done))
    assert told == [(1, 3), (2, 3), (3, 3)]  # the one that fails too


def test_times_are_those_of_the_searches_that_did_not_fail(gold: Path) -> None:
    report = evaluate(gold, Scripted(CLAUSES, RESULTS))
    assert report.ms == {"median": 1.0, "p95": 1.0, "mean": 1.0}  # each search of the script takes 1 ms
    rows = [replace(report.rows[0], ms=float(ms)) for ms in range(1, 21)]
    # Of 1 to 20: the median is 10.5, 95% of twenty is the 19th, the mean 210/20.
    assert summary(rows, []).ms == {"median": 10.5, "p95": 19.0, "mean": 10.5}
    assert summary(report.rows[2:], []).ms == {}


def test_the_products_own_results_can_be_judged_by_wording(tmp_path: Path) -> None:
    twin = clause("E4.1", CLAUSES[2].text)
    path = write_jsonl(tmp_path / "gold.jsonl", [{"id": "1", "question": "q", "articles": ["C4.1"]}])
    searcher = Scripted([*CLAUSES, twin], {"q": ["E4.1", "C4.1"]})
    assert evaluate(path, searcher).metrics["mrr"] == 0.5  # by id the second is right
    assert evaluate(path, searcher, relevance="text").metrics["mrr"] == 1.0  # by wording the first is, word for word


def test_an_exact_look_up_that_fusing_took_the_first_place_from() -> None:
    searcher = Scripted(CLAUSES, RESULTS, {"second": ["B1.2"]}, {"B1.2": {"fused": 2, "exact": 1}})
    assert lost_by(GoldQuestion("2", "second", ("B1.2",)), searcher, None, CLAUSES) == "fusion"


def test_only_the_first_thirty_candidates_count(tmp_path: Path) -> None:
    many = [clause(f"D1.{number}") for number in range(1, 31)]
    path = write_jsonl(tmp_path / "gold.jsonl", [{"id": "1", "question": "second", "articles": ["B1.2"]}])
    names = [one.id for one in many]
    late = evaluate(path, Scripted([*CLAUSES, *many], RESULTS, {"second": [*names, "B1.2"]}))
    assert late.metrics["recall30_candidates"] == 0.0  # the 31st
    assert late.misses[0].stage == "candidates"
    last = evaluate(path, Scripted([*CLAUSES, *many], RESULTS, {"second": [*names[1:], "B1.2"]}))
    assert last.metrics["recall30_candidates"] == 1.0


def test_results_that_cannot_be_read_are_told(gold: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        evaluate_results(gold, tmp_path / "absent.jsonl", CLAUSES)


def test_results_are_named_by_their_section_or_file(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "gold.jsonl", [{"id": "1", "question": "q", "articles": ["C4.1"]}])

    def section1(result: dict[str, str]) -> float:
        given = write_jsonl(tmp_path / "r.jsonl", [{"id": "1", "results": [result]}])
        return evaluate_results(path, given, CLAUSES).metrics["section1"]

    assert section1({"text": "", "section": "C"}) == 1.0
    assert section1({"text": "", "file": "C"}) == 1.0
    assert section1({"text": "", "section": "B"}) == 0.0
