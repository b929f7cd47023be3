"""Runs conditions: reads and cuts the corpus, embeds what is new, scores shard by shard, records every run.

What is done is kept: texts that have vectors, shards that have scores. A run with the same fingerprint goes on from
there. A condition whose model is not on this machine is told as not run; nothing is put in its place.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from eval.gold import GoldQuestion, read_gold
from eval.metrics import Scores
from eval.relevance import TextRelevance
from eval.samples import digest
from eval.sweep.asking import Asker
from eval.sweep.conditions import Condition, Setup
from eval.sweep.engines import Engine
from eval.sweep.searching import Prepared, WordIndex, score_shard
from eval.sweep.sources import sources
from eval.sweep.units import Cut, cut_corpus, read_corpus
from eval.sweep.vectors import (
    Model,
    VectorCache,
    dense_of,
    pieces,
    question_tokens,
    questions,
    tokens_of,
)
from pipelines.errors import ModelNotFound, SettingsError
from pipelines.late_interaction import FITTED
from pipelines.models.files import model_folder
from pipelines.models.reranking import NONE
from pipelines.schema import ReadResult
from pipelines.settings import Settings

_VERSIONED = ("techreg-analyst", "numpy", "torch", "onnxruntime", "sentence-transformers", "pymupdf")
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Run:
    """One condition as it was run: what could have moved its numbers, and the scores of every question.

    ``not_run`` says why it was not, "" where it was.
    """

    condition: Condition
    record: dict[str, Any]
    rows: dict[str, Scores]
    seconds: float = 0.0
    not_run: str = ""


class Sweep:
    """A corpus and its gold questions, under which conditions are run one after the other."""

    def __init__(
        self,
        corpus: Sequence[Path],
        gold: Path,
        folder: Path,
        settings: Settings,
        engine: Engine,
        *,
        shards: int = 2,
        workers: int = 1,
        seed: int = 0,
        tell: Tell = lambda _: None,
    ) -> None:
        """Read the corpus and the gold questions; ``workers`` of the engine share the cores of a machine.

        Raises:
            UsageError: either cannot be read.
        """
        self.folder, self.settings, self.engine, self.tell = folder, settings, engine, tell
        self.threads = settings.threads or max(1, len(os.sched_getaffinity(0)) // workers)
        self.shards, self.seed = shards, seed
        self.paths = tuple(corpus)
        self.gold = read_gold(gold)
        tell("reading the corpus")
        self.documents: list[ReadResult] = read_corpus(corpus, folder)
        self.relevance = TextRelevance(clause for document in self.documents for clause in document.clauses)
        self.vectors = VectorCache(folder / "vectors.sqlite")
        self.asker = Asker(settings, folder)
        self._cuts: dict[tuple[str, str, str], Cut] = {}

    def run(self, condition: Condition) -> Run:
        """Run one condition, or take what was run before."""
        setup = condition.setup
        start = time.perf_counter()
        try:
            record = self._record(condition)
            self.asker.require(setup)
        except (ModelNotFound, SettingsError) as error:
            return Run(condition, {}, {}, not_run=f"{error.message}")
        kept = self.folder / "runs" / f"{condition.name}-{record['fingerprint']}.json"
        if kept.exists():
            data = json.loads(kept.read_text(encoding="utf-8"))
            return Run(condition, data["record"], data["rows"], data["seconds"])
        self.tell(f"{condition.name}: {setup.text}, {setup.chunks}, {setup.stages}, {setup.embedder}, {setup.reranker}")
        rows = self._asked_rows(setup) if setup.answer != "none" else self._searched_rows(setup, record["fingerprint"])
        seconds = round(time.perf_counter() - start, 1)
        kept.parent.mkdir(parents=True, exist_ok=True)
        document = {"record": record, "rows": rows, "seconds": seconds}
        kept.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        return Run(condition, record, rows, seconds)

    def close(self) -> None:
        """Close the files."""
        self.vectors.close()
        self.asker.close()

    def _searched_rows(self, setup: Setup, fingerprint: str) -> dict[str, Scores]:
        prepared = self._prepared(setup)
        shuffled = list(self.gold)
        random.Random(self.seed).shuffle(shuffled)
        parts = [shuffled[number :: self.shards] for number in range(self.shards)]
        files = [self.folder / "shards" / f"{fingerprint}-{number}of{self.shards}.json" for number in range(len(parts))]
        waiting = [number for number, file in enumerate(files) if not file.exists() and parts[number]]
        tasks = [(prepared, parts[number], self.relevance) for number in waiting]
        for place, rows in self.engine(score_shard, tasks):
            file = files[waiting[place]]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(rows), encoding="utf-8")
        found = {name: scores for file in files if file.exists() for name, scores in json.loads(file.read_text())}
        return {question.id: found[question.id] for question in self.gold}

    def _asked_rows(self, setup: Setup) -> dict[str, Scores]:
        return self.asker.rows(setup, self.paths, self.gold, self.relevance, self.tell)

    def _prepared(self, setup: Setup) -> Prepared:
        model = Model.named(setup.embedder, self.threads)
        cut = self._cut(setup, model)
        texts = [unit.text for unit in cut.units]
        dense = [
            dense_of([found[0] for found in parts], [len(model.spans()(piece)) for piece in pieces(model, text)])
            for text, parts in zip(texts, self._embedded(model, texts), strict=True)
        ]
        tokens = []
        if setup.reranker == FITTED:
            fitted = Model.named(FITTED, self.threads)
            for parts in self._embedded(fitted, texts):
                tokens.append(tokens_of([found[1] for found in parts if found[1] is not None]))
        asked = self.asker.questions(setup, self.gold)
        return Prepared(
            setup=setup,
            units=cut.units,
            shown=cut.shown,
            dense=np.stack(dense),
            dense_weight=model.dense_weight,
            words=WordIndex(texts),
            asked={question.id: question.question for question in self.gold} if setup.question == "hyde" else asked,
            question_dense=questions(model, asked, passages=setup.question == "hyde"),
            question_tokens=question_tokens(asked, self.threads) if setup.reranker == FITTED else {},
            tokens=tokens,
        )

    def _cut(self, setup: Setup, model: Model) -> Cut:
        key = (setup.text, setup.chunks, setup.embedder)
        if key not in self._cuts:
            self._cuts = {key: cut_corpus(self.documents, setup, model.spans(), model.window)}
        return self._cuts[key]

    def _embedded(self, model: Model, texts: Sequence[str]) -> list[list[Any]]:
        """The vectors of the pieces of each text."""
        parts = [pieces(model, text) for text in texts]
        new = self.vectors.fill(model, (piece for part in parts for piece in part), self.engine)
        self.tell(f"  {len(texts)} units, {new} texts embedded by {model.name}")
        return [[self.vectors.get(model, piece) for piece in part] for part in parts]

    def _record(self, condition: Condition) -> dict[str, Any]:
        """What could move a number of a condition.

        Raises:
            ModelNotFound: a model that it needs is not on this machine.
        """
        setup = condition.setup
        models = {"embedder": Model.named(setup.embedder).fingerprint}
        if setup.reranker == FITTED:
            models["reranker"] = Model.named(FITTED).fingerprint
        elif setup.reranker != NONE:
            models["reranker"] = str(model_folder(setup.reranker, "TECHREG_RERANKER"))
        if setup.answer == "llm" or setup.question != "asked":
            models["llm"] = self.settings.llm_model
        moving = {
            "setup": asdict(setup),
            "models": models,
            "documents": {one.document.file: _sha256(one.document.path) for one in self.documents},
            "gold": digest(self.gold),
            "code": sources("pipelines", "eval"),
            "versions": {name: metadata.version(name) for name in _VERSIONED},
            "seed": self.seed,
        }
        fingerprint = hashlib.sha256(json.dumps(moving, sort_keys=True).encode()).hexdigest()[:16]
        return {"fingerprint": fingerprint, **moving, "machine": f"{platform.machine()} {platform.system()}"}


def ids(gold: Sequence[GoldQuestion]) -> list[str]:
    """The ids of questions, in order."""
    return [question.id for question in gold]


def _sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
