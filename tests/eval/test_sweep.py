from __future__ import annotations

import importlib.util
import json
import math
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from eval_corpus import write_jsonl

from eval.gold import read_gold
from eval.sweep import conditions, table
from eval.sweep.conditions import Condition, Setup
from eval.sweep.engines import open_engine
from eval.sweep.runner import Run, Sweep
from eval.sweep.searching import WordIndex, fitting
from eval.sweep.sources import sources
from eval.sweep.units import cut_corpus, read_corpus
from eval.sweep.vectors import Model, VectorCache, dense_of
from pipelines.bm25 import document_vector
from pipelines.errors import UsageError
from pipelines.settings import Settings

PIT = "Pit lane\n========\n\nThe speed in the pit lane is limited to 80 km/h.\n"
MASS = "\nMass\n====\n\nThe car must weigh at least 768 kg with its driver.\n"
FUEL = "\nFuel\n====\n\nFuel must be sustainable and certified before it is used.\n"


def words(text: str) -> list[tuple[int, int]]:
    """A token is a word."""
    spans, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        spans.append((start, start + len(word)))
        start += len(word)
    return spans


def test_one_change_a_condition_with_its_hypothesis(tmp_path: Path) -> None:
    for name in ("sweep", "published"):
        found = conditions.read(conditions.FOLDER / f"{name}.toml")
        assert len(found) >= 10
        assert all(one.hypothesis and one.metric for one in found if one.predecessor)
    start = '[[condition]]\nname = "a"\n'
    bare = '[[condition]]\nname = "b"\nfrom = "a"\nchange = { stages = "dense" }\n'
    told = {
        bare: "needs a hypothesis",
        bare + 'hypothesis = "It helps."\nmetric = "hit1"\n': "at_most",
        '[[condition]]\nname = "b"\nfrom = "a"\nchange = { stages = "dense", chunks = "chars-512" }\n': "changes 2",
        '[[condition]]\nname = "b"\nfrom = "z"\n': "predecessor",
        '[[condition]]\nname = "b"\nchange = { stages = "magic" }\n': "'magic' is no stages",
        '[[condition]]\nname = "b"\nchange = { colour = "red" }\n': "colour is nothing",
        '[[condition]]\nname = "b"\nchange = { text = "pages" }\n': "no clauses",
        '[[condition]]\nname = "a"\n': "name of its own",
    }
    for text, expected in told.items():
        path = tmp_path / "c.toml"
        path.write_text(start + text)
        with pytest.raises(UsageError, match=expected):
            conditions.read(path)


def test_named_conditions_bring_what_they_come_from() -> None:
    found = conditions.read(conditions.FOLDER / "sweep.toml")
    names = [one.name for one in conditions.chosen(found, ["clauses-hybrid"])]
    assert names == ["pages-512", "read-512", "tokens-256", "clauses", "clauses-hybrid"]
    with pytest.raises(UsageError, match="there is no condition"):
        conditions.chosen(found, ["nothing"])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.rst").write_text(PIT + MASS + FUEL)
    return folder


def test_chunks_know_their_lines_and_lose_no_word(corpus: Path, tmp_path: Path) -> None:
    documents = read_corpus([corpus], tmp_path / "cache")
    made = cut_corpus(documents, Setup(chunks="tokens-6/2"), words, 100)
    # 36 words with the underlines: "Pit lane ======== The speed in" is the first six, on lines 1 to 4.
    assert made.shown[0].text == "Pit lane\n========\n\nThe speed in"
    assert made.shown[0].lines == (1, 4)
    assert made.shown[1].text.split()[:2] == ["speed", "in"]  # an overlap of two
    whole = (PIT + MASS + FUEL).split()
    assert {word for one in made.shown for word in one.text.split()} == set(whole)
    multi = cut_corpus(documents, Setup(chunks="multi-6/12"), words, 100)
    assert len(multi.units) == math.ceil(len(whole) / 6) + math.ceil(len(whole) / 12)
    sections = cut_corpus(documents, Setup(), words, 100)
    assert [one.label for one in sections.shown] == ["Pit lane", "Mass", "Fuel"]
    assert sections.shown[1].lines == (6, 9)
    assert read_corpus([corpus], tmp_path / "cache") == documents  # from the cache


def test_word_scores_are_those_of_bm25_with_qdrants_idf() -> None:
    texts = ["pit lane speed", "car mass", "pit stop"]
    scores = WordIndex(texts).scores("pit")
    # "pit" stands in 2 of 3 texts: idf = ln((3 - 2 + 0.5) / (2 + 0.5) + 1) = ln 1.6
    weight = next(value for word, value in document_vector("pit stop").items() if word in document_vector("pit"))
    assert scores[2] == pytest.approx(math.log(1.6) * weight)
    assert scores[1] == 0


def test_a_text_of_several_pieces_has_the_direction_of_their_sum_by_length() -> None:
    parts = [np.array([1, 0], np.float32), np.array([0, 1], np.float32)]
    assert dense_of(parts, [7, 7]) == pytest.approx([2**-0.5, 2**-0.5])
    # Three tokens against four: (3, 4) has length 5. A last piece of two tokens hardly turns one of 254.
    assert dense_of(parts, [3, 4]) == pytest.approx([0.6, 0.8])
    assert dense_of(parts, [254, 2]) @ parts[0] > 0.999
    assert dense_of(parts[:1], [0]) == pytest.approx([1, 0])


def test_a_budget_skips_what_does_not_fit() -> None:
    assert fitting(["four", "toolong", "two"], 8, len) == ["four", "two"]  # 4 + 7 > 8, 4 + 3 <= 8


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    rows = [
        {"id": "1", "question": "How fast in the pit lane?", "evidence": [{"file": "guide.rst", "lines": [1, 4]}]},
        {"id": "2", "question": "What must the car weigh?", "evidence": [{"file": "guide.rst", "lines": [9, 9]}]},
        {"id": "3", "question": "Which fuel is used?", "evidence": [{"file": "guide.rst", "lines": [14, 14]}]},
    ]
    return write_jsonl(tmp_path / "gold.jsonl", rows)


SPARSE = Condition("words", Setup(stages="sparse", chunks="tokens-12/0"))


def run(
    corpus: Path, gold: Path, folder: Path, condition: Condition, *, workers: int = 1, kind: Any = "processes"
) -> Run:
    settings = Settings(_env_file=None, threads=1)
    with (
        open_engine(kind, workers) as engine,
        closing(Sweep([corpus], gold, folder, settings, engine, shards=2)) as sweep,
    ):
        return sweep.run(condition)


def test_a_condition_runs_is_recorded_and_is_not_run_again(corpus: Path, gold: Path, tmp_path: Path) -> None:
    first = run(corpus, gold, tmp_path / "out", SPARSE)
    assert list(first.rows) == [question.id for question in read_gold(gold)]
    assert all(scores["hit1"] == 1 for scores in first.rows.values())
    assert {"setup", "models", "documents", "gold", "versions", "seed", "fingerprint"} <= set(first.record)
    (kept,) = (tmp_path / "out" / "runs").iterdir()
    document = json.loads(kept.read_text())
    document["rows"]["1"]["hit1"] = 0.25  # a sign that the second run takes what is there
    kept.write_text(json.dumps(document))
    assert run(corpus, gold, tmp_path / "out", SPARSE).rows["1"]["hit1"] == 0.25


def test_an_absent_model_is_told_and_not_replaced(corpus: Path, gold: Path, tmp_path: Path) -> None:
    absent = Condition("absent", Setup(stages="sparse", reranker=str(tmp_path / "no-such-model")))
    outcome = run(corpus, gold, tmp_path / "out", absent)
    assert "no model folder" in outcome.not_run
    assert outcome.rows == {}
    assert "no language model" in run(corpus, gold, tmp_path / "out", Condition("h", Setup(question="hyde"))).not_run
    shaped = table.document([outcome], "Sweep")
    assert "not run" in table.text(shaped)


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason='Ray is not installed: pip install -e ".[ray]"')
def test_ray_gives_the_same_scores(corpus: Path, gold: Path, tmp_path: Path) -> None:
    here = run(corpus, gold, tmp_path / "here", SPARSE)
    there = run(corpus, gold, tmp_path / "there", SPARSE, kind="ray", workers=1)
    assert there.rows == here.rows


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_its_engine_says_so() -> None:
    with pytest.raises(UsageError, match="Ray is not installed"), open_engine("ray", 1):
        pass


def test_vectors_are_shared_by_text(tmp_path: Path) -> None:
    model = Model("words", "fingerprint")
    asked: list[list[str]] = []

    def map_(function: Any, tasks: Any) -> Any:
        for number, (_, texts) in enumerate(tasks):
            asked.append(list(texts))
            yield number, [(np.full(2, len(text), np.float32).tobytes(), b"") for text in texts]

    cache = VectorCache(tmp_path / "v.sqlite")
    assert cache.fill(model, ["a", "bb", "a"], map_) == 2
    assert cache.fill(model, ["bb", "ccc"], map_) == 1
    assert asked == [["a", "bb"], ["ccc"]]
    assert cache.get(model, "bb")[0].tolist() == [2, 2]
    assert cache.missing(Model("words", "another"), ["a"]) == ["a"]
    cache.close()


def _run(name: str, values: list[float], predecessor: str = "", at_least: float = 0.0) -> Run:
    condition = Condition(name, Setup(), predecessor, "x: a → b", "It helps.", "hit1", at_least)
    rows = {str(place): {"hit1": value, "hit5": 1.0} for place, value in enumerate(values)}
    return Run(condition, {}, rows)


def test_a_hypothesis_is_confirmed_by_the_difference(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(table, "SHOWN", ("hit1", "hit5"))
    old = _run("old", [0, 1, 0, 1])
    shaped = table.document(
        [old, _run("up", [1, 1, 0, 1], "old", 0.25), _run("same", [0, 1, 0, 1], "old", 0.25)], "Sweep"
    )
    _, up, same = shaped["conditions"]
    assert (up["difference"], up["verdict"]) == (0.25, "confirmed")  # 3/4 against 2/4
    assert (same["difference"], same["verdict"], same["difference_interval"]) == (0, "refuted", (0, 0))
    assert up["expected"] == "hit1 +0.250 or more"
    names = {path.name for path in table.write(shaped, tmp_path)}
    assert names == {"sweep.json", "sweep.csv", "sweep.md", "sweep.html", "sweep.svg"}
    assert "confirmed" in (tmp_path / "sweep.md").read_text()


def test_what_is_expected_to_hardly_move_is_refuted_by_a_gain_and_by_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "SHOWN", ("hit1", "hit5"))
    old = _run("old", [0, 1, 0, 1])

    def verdict(values: list[float], **bounds: float) -> str:
        made = _run("new", values, "old")
        new = Run(replace(made.condition, **({"at_least": -math.inf} | bounds)), {}, made.rows)
        return str(table.document([old, new], "Sweep")["conditions"][1]["verdict"])

    hardly = {"at_least": 0.0, "at_most": 0.1}
    assert verdict([0, 1, 0, 1], **hardly) == "confirmed"  # no difference
    assert verdict([1, 1, 0, 1], **hardly) == "refuted"  # a gain of 1/4
    assert verdict([0, 0, 0, 1], **hardly) == "refuted"  # a loss of 1/4
    assert verdict([0, 0, 0, 1], at_most=-0.1) == "confirmed"  # a loss that was expected
    assert Condition("x", Setup(), metric="hit1", **hardly).expected == "hit1 +0.000 or more and +0.100 or less"


def test_another_version_of_the_code_is_told_by_its_sources(tmp_path: Path) -> None:
    (tmp_path / "pipelines").mkdir()
    module = tmp_path / "pipelines" / "rerank.py"
    found = []
    for text in ("A = 1\n", "A = 2\n"):
        module.write_text(text)
        sources.cache_clear()
        found.append(sources("pipelines", root=tmp_path))
    assert found[0] != found[1]
    (tmp_path / "pipelines" / "notes.txt").write_text("no code")
    sources.cache_clear()
    assert sources("pipelines", root=tmp_path) == found[1]
