"""What a judge gets to see of each gold question: the answer, the passages, the reference answer and its clauses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from eval.gold import GoldQuestion
from eval.metrics import score
from eval.retrieval import Searcher, by_place
from pipelines.errors import TechRegError
from pipelines.schema import Answer, Clause, Failure, Filters, Refusal, Reply

CONTEXTS = 5
"""Passages that stand for what was retrieved."""


class Product(Searcher, Protocol):
    """What is judged: :class:`pipelines.engine.Engine`, or a fake."""

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """The answer to one question, a refusal, or what broke."""
        ...


@dataclass(frozen=True, slots=True)
class Sample:
    """One gold question as answered. ``retrieval`` is its retrieval score, see :func:`eval.metrics.score`."""

    id: str
    question: str
    style: str
    outcome: str  # answered, refused or failed
    response: str
    model: str
    contexts: tuple[str, ...]
    context_ids: tuple[str, ...]
    reference: str
    reference_contexts: tuple[str, ...]
    reference_ids: tuple[str, ...]
    retrieval: float
    error: str = ""

    @classmethod
    def of(cls, data: dict[str, Any]) -> Sample:
        """A sample from its JSON form."""
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**fields)


def collect(
    gold: Sequence[GoldQuestion],
    product: Product,
    store: Path,
    progress: Callable[[int, int], None] | None = None,
) -> list[Sample]:
    """Ask every question; answers in ``store`` (JSONL) are not asked for again, new ones are added to it.

    A question that failed before is asked again.
    """
    known = {sample.id: sample for sample in read(store) if sample.outcome != "failed"}
    clauses = tuple(product.clauses("", Filters()))
    samples: list[Sample] = []
    store.parent.mkdir(parents=True, exist_ok=True)
    with store.open("a", encoding="utf-8") as out:
        for number, question in enumerate(gold, start=1):
            sample = known.get(question.id)
            if sample is None:
                sample = _asked(question, product, clauses)
                out.write(json.dumps(asdict(sample), ensure_ascii=False) + "\n")
                out.flush()
            samples.append(sample)
            if progress is not None:
                progress(number, len(gold))
    return samples


def read(store: Path) -> list[Sample]:
    """The samples of a file, the latest of each question; none where there is no file."""
    if not store.exists():
        return []
    lines = store.read_text(encoding="utf-8").splitlines()
    latest = {sample.id: sample for sample in (Sample.of(json.loads(line)) for line in lines if _whole(line))}
    return list(latest.values())


def digest(gold: Sequence[GoldQuestion]) -> str:
    """What tells one set of gold questions from another."""
    return hashlib.sha256(json.dumps([asdict(question) for question in gold]).encode()).hexdigest()[:16]


def _whole(line: str) -> bool:
    """Whether a line was written to its end: a run that was killed may have left half of one."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _asked(question: GoldQuestion, product: Product, clauses: Sequence[Clause]) -> Sample:
    wanted = [clause for clause in clauses if question.answered_by(clause)]
    passages: tuple[Clause, ...] = ()
    retrieval = 0.0
    try:
        reply: Reply = product.ask(question.question, history=question.history)
        found = product.search(question.question, 10, history=question.history)
        passages = tuple(passage.clause for passage in found.passages[:CONTEXTS])
        judged = [by_place(question, passage.clause) for passage in found.passages]
        retrieval = score(question, judged, judged)["retrieval"]
    except TechRegError as error:
        reply = Failure(question.question, type(error).__name__, error.message, error.fix)
    return Sample(
        id=question.id,
        question=question.question,
        style=question.style,
        outcome=reply.outcome,
        response=reply.text if isinstance(reply, Answer | Refusal) else "",
        model=reply.model,
        contexts=tuple(clause.text for clause in passages),
        context_ids=tuple(clause.id for clause in passages),
        reference=question.answer,
        reference_contexts=tuple(clause.text for clause in wanted),
        reference_ids=tuple(clause.id for clause in wanted),
        retrieval=retrieval,
        error=reply.message if isinstance(reply, Failure) else "",
    )
