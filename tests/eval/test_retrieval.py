from __future__ import annotations

import json
from pathlib import Path

import pytest
from eval_corpus import Scripted, clause, passage, write_jsonl

from eval import retrieval_page
from eval.retrieval import evaluate, evaluate_results, lost_by
from pipelines.errors import UsageError

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
    from eval.gold import GoldQuestion

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
