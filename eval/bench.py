"""Speed, as ratios within one run: absolute times say more of the machine than of the code.

The yardsticks are measured beside what they are compared with: a plain two-stage search (exact dense search, then a
torch cross-encoder of MiniLM-L6's shape in fp32 over 20 passages of 512 characters) for search and answers, plain text
extraction of the same pages for reading. The machine's floating-point speed is measured before and after: where the
two differ much, the machine was busy and the figures say little.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eval.gold import read_gold
from eval.samples import Product
from pipelines.models.embedding import Embedder, load_embedder
from pipelines.models.files import PACKAGED
from pipelines.schema import Clause, Filters
from pipelines.settings import Settings

PASSAGES = 20
CHARACTERS = 512
MATRIX = 1024
BUSY = 0.15
"""The machine counts as busy where its speed before and after differ by more than this share."""

Document = dict[str, Any]
Tell = Callable[[str], None]


def measure(
    product: Product,
    settings: Settings,
    gold: Path,
    corpus: Sequence[Path] = (),
    *,
    limit: int = 40,
    tell: Tell = lambda _: None,
) -> Document:
    """Measure the product over an open index; with ``corpus`` also reading and indexing it into a new one.

    Args:
        product: what searches and answers.
        settings: its settings.
        gold: questions to ask; each is asked warm.
        corpus: files and folders to read and index.
        limit: so many questions a figure; each figure has its own, so that none is answered from what another kept.
        tell: told what is being measured.

    Raises:
        UsageError: the gold file cannot be read.
    """
    asked = [question.question for question in read_gold(gold)][: 3 * limit]
    plain, filtered, answered = (asked[start::3] or asked for start in range(3))
    tell("floating-point speed")
    before = gflops()
    tell("from nothing to the first answer")
    first = first_answer(asked[0], tell)
    ms: dict[str, float] = {}
    tell("search")
    ms["search"] = median_ms(lambda one: product.search(one), plain)
    section = next((clause.section for clause in product.clauses("", Filters())), "")
    ms["search, filtered by section"] = median_ms(lambda one: product.search(one, filters=Filters(section)), filtered)
    tell("answers")
    ms["ask"] = median_ms(lambda one: product.ask(one), answered)
    tell("the plain two-stage search")
    two_stage = TwoStage(product.clauses("", Filters()), settings)
    ms["plain two-stage search"] = median_ms(two_stage.search, asked[:11])
    yardstick = ms["plain two-stage search"]
    ratios = {
        f"{name} / plain two-stage search": round(value / yardstick, 4)
        for name, value in ms.items()
        if name != "plain two-stage search"
    }
    seconds: dict[str, float] = {}
    if corpus:
        seconds = reading(corpus, settings, tell)
        ratios["reading / plain text extraction"] = round(seconds["reading"] / seconds["plain text extraction"], 2)
        ratios["indexing again, unchanged / indexing"] = round(seconds["indexing again"] / seconds["indexing"], 4)
    if first is not None:
        seconds["a new process to its first answer"] = first
    after = gflops()
    return {
        "machine": machine(),
        "gflops": {"before": before, "after": after, "busy": abs(before - after) > BUSY * max(before, after)},
        "n": len(asked),
        "ratios": ratios,
        "ms": {name: round(value, 2) for name, value in ms.items()},
        "seconds": {name: round(value, 2) for name, value in seconds.items()},
        "peak_memory_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


class TwoStage:
    """The plain way: passages of a fixed length, exact dense search, a torch cross-encoder in fp32 over the best.

    The cross-encoder has the shape of MiniLM-L6 (6 layers of 384) and random weights: what it costs does not depend on
    what it has learned. Passages are not embedded, which would take minutes and is not what is measured: their vectors
    are random too, so the best 20 are any 20.
    """

    def __init__(self, clauses: Sequence[Clause], settings: Settings, embedder: Embedder | None = None) -> None:
        """Cut the clauses' text into passages; ``embedder`` stands in for the packaged model."""
        import torch
        from transformers import BertConfig, BertForSequenceClassification

        text = "\n".join(clause.text for clause in clauses)
        self.passages = [text[start : start + CHARACTERS] for start in range(0, len(text), CHARACTERS)]
        self._embedder = embedder or load_embedder(settings.model_copy(update={"embed_model": PACKAGED}))
        random = np.random.default_rng(0)
        vectors = random.standard_normal((len(self.passages), self._embedder.dimension), dtype=np.float32)
        self._vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        torch.manual_seed(0)
        shape = BertConfig(
            hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536, num_labels=1
        )
        self._model = BertForSequenceClassification(shape).eval()
        self._torch = torch

    def search(self, question: str) -> list[int]:
        """The places of the 20 passages, reranked."""
        vector = np.asarray(self._embedder.model.get_query_embedding(question), dtype=np.float32)
        best = np.argsort(-(self._vectors @ vector))[:PASSAGES]
        rows = [self._ids(f"{question} {self.passages[place]}") for place in best]
        longest = max(len(row) for row in rows)
        ids = self._torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        mask = self._torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        with self._torch.inference_mode():
            scores = self._model(input_ids=ids, attention_mask=mask).logits[:, 0]
        return [int(best[place]) for place in scores.argsort(descending=True)]

    def _ids(self, text: str) -> list[int]:
        """As many token ids as the text has tokens; which ones they are is no matter to the cost."""
        return [1 + place % 30_000 for place in range(min(512, self._embedder.count(text)))]


def reading(corpus: Sequence[Path], settings: Settings, tell: Tell) -> dict[str, float]:
    """Seconds to extract plain text, to read, to index, and to index again what has not changed."""
    import pymupdf

    from pipelines.ingest import ingest
    from pipelines.read_all import read_all

    files = sorted(file for path in corpus for file in (path.rglob("*.pdf") if path.is_dir() else [path]))

    def extract() -> None:
        for file in files:
            with pymupdf.open(file) as document:
                for page in document:
                    page.get_text()

    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        fresh = settings.model_copy(update={"storage": Path(folder) / "index", "qdrant_url": ""})
        steps: dict[str, Callable[[], object]] = {
            "plain text extraction": extract,
            "reading": lambda: [None for _ in read_all(files)],
            "indexing": lambda: ingest(files, fresh),
            "indexing again": lambda: ingest(files, fresh),
        }
        for name, work in steps.items():
            tell(name)
            start = time.perf_counter()
            work()
            seconds[name] = time.perf_counter() - start
    return seconds


def first_answer(question: str, tell: Tell = lambda _: None) -> float | None:
    """Seconds from starting a process to its first answer, imports and models included; None where it gives none."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "app", "ask", question],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        tell(f"not measured: {(done.stderr.strip() or 'the process failed').splitlines()[-1]}")
        return None
    return time.perf_counter() - start


def median_ms(work: Callable[[str], object], questions: Sequence[str]) -> float:
    """The median wall time of a call in milliseconds; the first question loads things and does not count."""
    work(questions[0])
    times = []
    for question in questions[1:] or questions:
        start = time.perf_counter()
        work(question)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def gflops(repeats: int = 5) -> float:
    """Billions of single-precision operations a second in a product of two square matrices, the best of some tries."""
    matrix = np.ones((MATRIX, MATRIX), dtype=np.float32)
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        matrix @ matrix
        best = min(best, time.perf_counter() - start)
    return round(2 * MATRIX**3 / best / 1e9, 1)


def machine() -> str:
    """The processor and how many cores of it this process may use."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {cores} cores, {platform.system()}, Python {platform.python_version()}"


def text(shaped: Document) -> str:
    """The figures for a terminal."""
    speed = shaped["gflops"]
    busy = "; the machine was busy, measure again" if speed["busy"] else ""
    lines = [shaped["machine"], f"GFLOPS before {speed['before']}, after {speed['after']}{busy}"]
    lines += [f"  {name:<56} {value:g}" for name, value in shaped["ratios"].items()]
    lines += [f"  {name:<56} {value:g} ms" for name, value in shaped["ms"].items()]
    lines += [f"  {name:<56} {value:g} s" for name, value in shaped["seconds"].items()]
    return (
        "\n".join([*lines, f"  peak memory of this process, yardsticks included: {shaped['peak_memory_gb']} GB"]) + "\n"
    )
