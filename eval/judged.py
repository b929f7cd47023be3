"""``techreg eval ragas`` and ``techreg eval judge``: ask every gold question, have the answers judged, report."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import metadata
from pathlib import Path

from eval import judged_page, rubric, scoring
from eval.gold import GoldQuestion, read_gold
from eval.judged_page import Document
from eval.judging import Judge, open_judge
from eval.samples import Product, collect, digest
from eval.scoring import Metric
from pipelines.errors import UsageError
from pipelines.models.embedding import load_embedder
from pipelines.schema import Filters
from pipelines.settings import Settings

Tell = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

_ANSWERING = ("answer_mode", "llm", "llm_model", "embed_model", "reranker", "candidates", "context_tokens", "gate")


def run_ragas(
    gold_path: Path,
    product: Product,
    settings: Settings,
    out: Path,
    *,
    judged: bool = True,
    limit: int | None = None,
    seed: int = 0,
    workers: int = 1,
    tell: Tell = lambda *_: None,
) -> Document:
    """Score the product's answers by the metrics of ragas; run again, it goes on where it stopped.

    Args:
        gold_path: the gold questions.
        product: what answers.
        settings: who judges, and which embeddings compare questions.
        out: the run's folder.
        judged: also the metrics that need a judge.
        limit: so many questions, drawn by ``seed``; None takes all.
        seed: of the draw.
        workers: judge calls at once.
        tell: told of progress.

    Raises:
        SettingsError: no judge is set.
        UsageError: ragas is not installed, or ``out`` holds another run.
        ModelError: the judge failed too often in a row; what was scored is kept.
    """
    from eval import ragas_metrics

    ragas_metrics.load()
    metrics = ragas_metrics.unjudged_metrics()
    gold = drawn(read_gold(gold_path), limit, seed)
    run = _Run("ragas", gold, product, settings, out, workers, tell)
    if not judged:
        return run(metrics, None, ragas_metrics.versions(), "RAGAS report")
    with closing(open_judge(settings, out / "replies.sqlite")) as judge:
        metrics = [*ragas_metrics.judged_metrics(judge, load_embedder(settings)), *metrics]
        return run(metrics, judge, ragas_metrics.versions(), "RAGAS report")


def run_rubric(
    gold_path: Path,
    product: Product,
    settings: Settings,
    out: Path,
    *,
    limit: int | None = None,
    seed: int = 0,
    workers: int = 1,
    tell: Tell = lambda *_: None,
) -> Document:
    """Have the product's answers marked by the fixed rubric; see :func:`run_ragas`."""
    gold = drawn(read_gold(gold_path), limit, seed)
    run = _Run("judge", gold, product, settings, out, workers, tell)
    versions = {"techreg-analyst": metadata.version("techreg-analyst")}
    with closing(open_judge(settings, out / "replies.sqlite")) as judge:
        return run(rubric.metrics(judge), judge, versions, "Judged by the rubric")


def drawn(gold: Sequence[GoldQuestion], limit: int | None, seed: int) -> list[GoldQuestion]:
    """So many of the questions, in their order; the same seed draws the same."""
    if limit is None or limit >= len(gold):
        return list(gold)
    chosen = set(random.Random(seed).sample(range(len(gold)), limit))
    return [question for place, question in enumerate(gold) if place in chosen]


class _Run:
    """One judged run in its folder."""

    def __init__(
        self,
        kind: str,
        gold: Sequence[GoldQuestion],
        product: Product,
        settings: Settings,
        out: Path,
        workers: int,
        tell: Tell,
    ) -> None:
        self.kind, self.gold, self.product, self.settings = kind, gold, product, settings
        self.out, self.workers, self.tell = out, workers, tell

    def __call__(
        self, metrics: Sequence[Metric], judge: Judge | None, versions: dict[str, str], title: str
    ) -> Document:
        documents = {clause.document.file: clause.document.sha256 for clause in self.product.clauses("", Filters())}
        if not documents:
            raise UsageError("nothing is indexed that could answer", "Run: techreg ingest data/regulations")
        record = {
            "kind": self.kind,
            "gold": digest(self.gold),
            "judge": f"{judge.name} at {judge.address}" if judge else "",
            "judge_tokens": self.settings.judge_tokens,
            "answering": {name: getattr(self.settings, name) for name in _ANSWERING},
            "documents": {file: sha256[:16] for file, sha256 in sorted(documents.items())},
            "versions": versions,
        }
        scoring.claim(self.out, record)
        samples = collect(
            self.gold, self.product, self.out / "samples.jsonl", lambda *done: self.tell("answers", *done)
        )
        scores = scoring.run(
            samples,
            metrics,
            self.out / "scores.jsonl",
            workers=self.workers,
            progress=lambda *done: self.tell("scores", *done),
        )
        summaries = scoring.summaries(scores, [metric.name for metric in metrics])
        shaped = judged_page.document(record, samples, summaries, judge, self.settings)
        if self.kind == "judge":
            shaped["proxy"] = rubric.proxy(samples, summaries)
        judged_page.write(shaped, scores, self.out, title)
        return shaped
