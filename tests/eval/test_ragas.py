from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from eval_corpus import write_jsonl
from judge_server import GOLD, Judge, Product
from llm.scripted import ScriptedServer, status

from eval import judged, ragas_metrics
from pipelines.errors import ModelError, SettingsError, UsageError
from pipelines.models.embedding import Embedder, ModelIdentity
from pipelines.settings import Settings

pytest.importorskip("ragas", reason="the extra `eval` is not installed")


class WordModel:
    """A text's vector counts "pit" and "car"; the third number is 1."""

    def get_query_embedding(self, text: str) -> list[float]:
        return [float("pit" in text), float("car" in text), 1.0]


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Embedder(ModelIdentity("words", "1"), WordModel(), 3, 99, len)  # type: ignore[arg-type]
    monkeypatch.setattr(judged, "load_embedder", lambda _: embedder)


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    servers: list[ScriptedServer] = []

    def start(*steps: Any) -> ScriptedServer:
        servers.append(ScriptedServer(steps))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "gold.jsonl", GOLD)


def settings(server: ScriptedServer, **changes: Any) -> Settings:
    given = {"judge_url": server.url, "judge_model": "scripted-judge", "judge_timeout_s": 5.0, "llm_retries": 0}
    return Settings(_env_file=None, **(given | changes))


def means(document: dict[str, Any]) -> dict[str, float | None]:
    return {name: values["mean"] for name, values in document["metrics"].items()}


def counts(document: dict[str, Any], metric: str) -> tuple[int, int, int, int]:
    values = document["metrics"][metric]
    return values["attempted"], values["scored"], values["failed"], values["not_applicable"]


def test_every_metric_with_its_number(gold: Path, tmp_path: Path, serve: Callable[..., ScriptedServer]) -> None:
    document = judged.run_ragas(gold, Product(), settings(serve(Judge())), tmp_path / "out")
    scores = means(document)
    # Answer 1 is "80km/h. It may rain.": one of two statements is supported; answer 3 is one statement, supported.
    assert scores["faithfulness"] == 0.75
    # The judge asks "How fast in the pit lane?" back: vector (1, 0, 1). Question 1 is the same: cosine 1.
    # Question 3, "How heavy is the car?", is (0, 1, 1): cosine 1/2. (1 + 1/2) / 2
    assert scores["answer_relevancy"] == pytest.approx(0.75, abs=1e-4)
    # Average precision. Question 1: useful, useless: 1. Questions 2, 3, 4: useless, useful: 1/2 each. 2.5 / 4
    assert scores["context_precision"] == pytest.approx(0.625, abs=1e-4)
    # Every statement of every reference is attributed.
    assert scores["context_recall"] == 1
    # Claims. Answer 1: one true, one false; its reference has one claim, supported: F1 = 2/3, rounded 0.67.
    # Answer 3: all true: 1. (0.67 + 1) / 2
    assert scores["factual_correctness"] == pytest.approx(0.835, abs=1e-4)
    # Ids. Question 1 retrieves B1.1, B1.2 and wants B1.1; 2, 3 and 4 retrieve B1.2, C4.1 and want C4.1.
    assert scores["id_based_context_precision"] == 0.5
    assert scores["id_based_context_recall"] == 1
    # The wanted text is among the retrieved ones word for word: first for question 1, second for the others.
    assert scores["non_llm_context_recall"] == 1
    assert scores["non_llm_context_precision"] == pytest.approx((1 + 3 * 0.5) / 4, abs=0.01)

    # A refusal and a failure have no answer to judge; what was retrieved for them is judged all the same.
    assert counts(document, "faithfulness") == (4, 2, 0, 2)
    assert document["metrics"]["faithfulness"]["reasons"] == {"failed": 1, "refused": 1}
    assert counts(document, "context_recall") == (4, 4, 0, 0)
    assert document["outcomes"] == {"answered": 2, "refused": 1, "failed": 1}
    assert document["run"]["judge"] == "scripted-judge at 127.0.0.1"
    assert document["run"]["versions"]["ragas"] == "0.4.3"
    assert not document["weak_judge"]


def test_a_broken_reply_is_a_failure_that_is_counted_and_tried_again(
    gold: Path, tmp_path: Path, serve: Callable[..., ScriptedServer]
) -> None:
    out = tmp_path / "out"
    first = judged.run_ragas(gold, Product(), settings(serve(Judge(broken="768kg."))), out)
    # The broken prompts are those with answer 3 or its reference: the other answer's statements are still judged.
    assert counts(first, "faithfulness") == (4, 1, 1, 2)
    assert first["metrics"]["faithfulness"]["mean"] == 0.5
    assert "ModelReplyError" in first["metrics"]["faithfulness"]["reasons"]
    assert first["weak_judge"]
    assert "weak" in (out / "report.md").read_text()

    def mended(handler: Any) -> None:
        Judge()(handler)

    again_server = serve(mended)
    lines = (out / "scores.jsonl").read_text().splitlines()
    second = judged.run_ragas(gold, Product(), settings(again_server), out)
    assert counts(second, "faithfulness") == (4, 2, 0, 2)
    # Only what had failed was scored again; nothing that was scored before was asked for twice.
    fresh = (out / "scores.jsonl").read_text().splitlines()[len(lines) :]
    assert {(json.loads(line)["metric"], json.loads(line)["id"]) for line in fresh} <= {
        (score["metric"], score["id"]) for score in map(json.loads, lines) if score["outcome"] == "failed"
    }


def test_a_time_out_is_a_failure(gold: Path, tmp_path: Path, serve: Callable[..., ScriptedServer]) -> None:
    server = serve(Judge(slow="It may rain"))
    document = judged.run_ragas(
        gold, Product(), settings(server, judge_timeout_s=0.3, llm_breaker=100), tmp_path / "out"
    )
    assert document["metrics"]["faithfulness"]["reasons"] == {"ModelTimeout": 1, "failed": 1, "refused": 1}
    assert counts(document, "faithfulness") == (4, 1, 1, 2)
    assert document["usage"]["failed"] >= 1


def test_a_judge_that_is_down_ends_the_run_and_keeps_what_it_has(
    gold: Path, tmp_path: Path, serve: Callable[..., ScriptedServer]
) -> None:
    out = tmp_path / "out"
    with pytest.raises(ModelError, match="too often") as raised:
        judged.run_ragas(gold, Product(), settings(serve(status(401)), llm_breaker=2), out)
    assert "run the same command" in raised.value.fix
    assert (out / "samples.jsonl").read_text().count("\n") == 4


def test_replies_are_kept_and_cost_is_told(gold: Path, tmp_path: Path, serve: Callable[..., ScriptedServer]) -> None:
    server = serve(Judge())
    priced = settings(server, judge_price_in=1.0, judge_price_out=2.0)
    first = judged.run_ragas(gold, Product(), priced, tmp_path / "out")
    calls = len(server.requests)
    assert first["usage"]["calls"] == calls
    usage = first["usage"]
    assert usage["cost"] == round((usage["tokens_in"] + 2 * usage["tokens_out"]) / 1e6, 4)
    (tmp_path / "out" / "scores.jsonl").unlink()
    second = judged.run_ragas(gold, Product(), priced, tmp_path / "out")
    assert means(second) == means(first)
    assert len(server.requests) == calls  # every reply came from the cache
    assert second["usage"]["calls"] == 0


def test_another_run_in_the_folder_is_refused(gold: Path, tmp_path: Path, serve: Callable[..., ScriptedServer]) -> None:
    server = serve(Judge())
    judged.run_ragas(gold, Product(), settings(server), tmp_path / "out", judged=False)
    with pytest.raises(UsageError, match="judge differ"):
        judged.run_ragas(gold, Product(), settings(server), tmp_path / "out")


def test_without_a_judge_only_what_needs_none(gold: Path, tmp_path: Path) -> None:
    nobody = Settings(_env_file=None)
    document = judged.run_ragas(gold, Product(), nobody, tmp_path / "out", judged=False)
    assert tuple(document["metrics"]) == ragas_metrics.UNJUDGED
    with pytest.raises(SettingsError, match="no judge is set"):
        judged.run_ragas(gold, Product(), nobody, tmp_path / "other")


def test_importing_and_scoring_open_no_socket(tmp_path: Path) -> None:
    """In a process of its own, with the standard library's sockets taken away before ragas is imported."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os, socket, sys\n"
        "tried = []\n"
        "def refuse(self, address, *rest):\n"
        "    tried.append(address)\n"
        "    raise OSError('blocked')\n"
        "socket.socket.connect = socket.socket.connect_ex = refuse\n"
        "socket.getaddrinfo = lambda *a, **k: (tried.append(a), (_ for _ in ()).throw(OSError('blocked')))\n"
        "from eval import ragas_metrics\n"
        "from eval.samples import Sample\n"
        "sample = Sample('1', 'q', '', 'answered', 'a', 'm', ('a b c',), ('1',), 'a', ('a b c',), ('1',), 1.0)\n"
        "print([metric.value(sample) for metric in ragas_metrics.unjudged_metrics()])\n"
        "import time; time.sleep(1.5)\n"  # ragas sends what it has counted from a thread, every second
        "import ragas._analytics as analytics\n"
        "assert analytics.do_not_track()\n"
        "import atexit; atexit._run_exitfuncs()\n"
        "print('tried', tried)\n"
    )
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, str(program)], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    scores, tried = done.stdout.splitlines()
    assert json.loads(scores) == pytest.approx([1, 1, 1, 1], abs=1e-6)
    assert tried == "tried []"
    assert not (tmp_path / ".local").exists()  # no id of this machine is kept
