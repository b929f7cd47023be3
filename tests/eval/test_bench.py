from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from eval_corpus import clause, write_jsonl
from judge_server import GOLD, Product

from eval import bench
from pipelines.models.embedding import Embedder, ModelIdentity
from pipelines.schema import Reply, SearchResult
from pipelines.settings import Settings


class Counter:
    def get_query_embedding(self, text: str) -> list[float]:
        return [float(len(text)), 1.0, 0.0]


def embedder(_: Settings | None = None) -> Embedder:
    return Embedder(ModelIdentity("x", "1"), Counter(), 3, 99, lambda text: len(text.split()) + 2)  # type: ignore[arg-type]


def test_the_plain_two_stage_search_reranks_twenty_passages() -> None:
    text = "word " * 3000  # 15,000 characters: 30 passages of 512
    plain = bench.TwoStage([clause("B1.1", text)], Settings(_env_file=None), embedder())
    assert len(plain.passages) == 30
    found = plain.search("how fast")
    assert len(found) == len(set(found)) == 20
    assert plain.search("how fast") == found


def test_every_figure_is_a_ratio_to_a_yardstick_of_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "load_embedder", embedder)
    monkeypatch.setattr(bench, "first_answer", lambda *_: 1.5)
    shaped = bench.measure(Product(), Settings(_env_file=None), write_jsonl(tmp_path / "g.jsonl", GOLD))
    ms = shaped["ms"]
    for name in ("search", "ask"):
        ratio = shaped["ratios"][f"{name} / plain two-stage search"]
        assert ratio == pytest.approx(ms[name] / ms["plain two-stage search"], abs=0.05)
    assert shaped["gflops"]["before"] > 0
    assert "cores" in shaped["machine"]
    assert "plain two-stage search" in bench.text(shaped)


def test_the_median_leaves_the_first_call_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.001, 1.0, 1.005, 2.0, 2.002])
    monkeypatch.setattr(bench.time, "perf_counter", lambda: next(clock))
    calls: list[str] = []
    # Of 1, 5 and 2 ms the median is 2; the first question, which loads things, is asked and not timed.
    assert bench.median_ms(calls.append, ["a", "b", "c", "d"]) == pytest.approx(2.0)
    assert calls == ["a", "b", "c", "d"]


def test_no_question_is_asked_for_two_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that was searched for is kept by its encoder: asked again it would cost less."""
    monkeypatch.setattr(bench, "load_embedder", embedder)
    monkeypatch.setattr(bench, "first_answer", lambda *_: None)
    rows = [{"id": str(n), "question": f"question {n}", "articles": ["B1.1"]} for n in range(9)]
    seen: dict[str, set[str]] = {"search": set(), "filtered": set(), "ask": set()}

    class Counting(Product):
        def search(self, question: str, *args: Any, **kwargs: Any) -> SearchResult:
            seen["filtered" if kwargs.get("filters") else "search"].add(question)
            return super().search(question)

        def ask(self, question: str, *args: Any, **kwargs: Any) -> Reply:
            seen["ask"].add(question)
            return super().ask(question)

    shaped = bench.measure(Counting(), Settings(_env_file=None), write_jsonl(tmp_path / "g.jsonl", rows), limit=2)
    assert [len(found) for found in seen.values()] == [2, 2, 2]
    assert len(set.union(*seen.values())) == 6
    assert "a new process to its first answer" not in shaped["seconds"]


def test_a_process_that_gives_no_answer_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(bench.sys, "executable", "/bin/false")
    assert bench.first_answer("how fast", told.append) is None
    assert told == ["not measured: the process failed"]
