"""The metrics of ragas 0.4.3, with the project's judge and embeddings: the only module that imports ragas.

Its telemetry is switched off before the import. Judge calls go through :class:`eval.judging.Judge`, so they are cached,
counted and never sent anywhere else; ragas has no client of its own here.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable, Coroutine, Sequence
from importlib import metadata
from typing import Any

from pydantic import BaseModel

from eval.judging import Judge
from eval.samples import Sample
from eval.scoring import Metric
from pipelines.errors import UsageError
from pipelines.models.embedding import Embedder

JUDGED = ("faithfulness", "answer_relevancy", "context_precision", "context_recall", "factual_correctness")
UNJUDGED = (
    "id_based_context_precision",
    "id_based_context_recall",
    "non_llm_context_precision",
    "non_llm_context_recall",
)
_SWITCHES = {
    "RAGAS_DO_NOT_TRACK": "true",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "GIT_PYTHON_REFRESH": "quiet",
}


def versions() -> dict[str, str]:
    """The versions that a ragas score depends on."""
    wanted = ("ragas", "langchain-core", "techreg-analyst")
    return {name: metadata.version(name) for name in wanted}


def load() -> Any:
    """Import ragas with its telemetry off.

    Raises:
        UsageError: ragas is not installed, or not with the versions it works with.
    """
    os.environ.update(_SWITCHES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecated places that have no other, and pydantic v1 notes of langchain
            import ragas
            import ragas._analytics
            import ragas.metrics
            import ragas.metrics.collections
    except ImportError as error:
        raise UsageError(f"ragas cannot be imported: {error}", 'Run: pip install "techreg-analyst[eval]"') from error
    ragas._analytics.user_data_dir = _no_folder  # it would keep an id of this machine there, telemetry or not
    return ragas


def _no_folder(*_: object, **__: object) -> str:
    raise OSError("no id is kept")


def judged_metrics(judge: Judge, embedder: Embedder) -> list[Metric]:
    """The metrics that ask the judge; answer relevancy compares by the product's own embeddings."""
    load()
    from ragas.metrics import collections

    llm, embeddings = _llm(judge), _embeddings(embedder)
    faithfulness = collections.Faithfulness(llm=llm)
    relevancy = collections.AnswerRelevancy(llm=llm, embeddings=embeddings)
    precision = collections.ContextPrecisionWithReference(llm=llm)
    recall = collections.ContextRecall(llm=llm)
    correctness = collections.FactualCorrectness(llm=llm)

    def value(score: Callable[[Sample], Coroutine[Any, Any, Any]]) -> Callable[[Sample], float]:
        return lambda sample: float(asyncio.run(score(sample)).value)

    return [
        Metric(
            "faithfulness",
            value(lambda one: faithfulness.ascore(one.question, one.response, list(one.contexts))),
            _unless(_not_answered, _no_contexts),
        ),
        Metric(
            "answer_relevancy",
            value(lambda one: relevancy.ascore(one.question, one.response)),
            _unless(_not_answered),
        ),
        Metric(
            "context_precision",
            value(lambda one: precision.ascore(one.question, one.reference, list(one.contexts))),
            _unless(_no_reference, _no_contexts),
        ),
        Metric(
            "context_recall",
            value(lambda one: recall.ascore(one.question, list(one.contexts), one.reference)),
            _unless(_no_reference, _no_contexts),
        ),
        Metric(
            "factual_correctness",
            value(lambda one: correctness.ascore(one.response, one.reference)),
            _unless(_not_answered, _no_reference),
        ),
    ]


def unjudged_metrics() -> list[Metric]:
    """The metrics that need no judge: by clause id, and by the likeness of texts."""
    load()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # these four have no other place in 0.4.3
        from ragas.metrics import (
            IDBasedContextPrecision,
            IDBasedContextRecall,
            NonLLMContextPrecisionWithReference,
            NonLLMContextRecall,
        )
    made = (
        IDBasedContextPrecision(),
        IDBasedContextRecall(),
        NonLLMContextPrecisionWithReference(),
        NonLLMContextRecall(),
    )
    return [
        Metric(name, _single_turn(metric), _unless(_no_contexts, _no_reference_contexts))
        for name, metric in zip(UNJUDGED, made, strict=True)
    ]


def _single_turn(metric: Any) -> Callable[[Sample], float]:
    def value(sample: Sample) -> float:
        from ragas import SingleTurnSample

        turn = SingleTurnSample(
            user_input=sample.question,
            retrieved_contexts=list(sample.contexts),
            reference_contexts=list(sample.reference_contexts),
            retrieved_context_ids=list(sample.context_ids),
            reference_context_ids=list(sample.reference_ids),
        )
        return float(asyncio.run(metric.single_turn_ascore(turn)))

    return value


def _llm(judge: Judge) -> Any:
    from ragas.llms.base import InstructorBaseRagasLLM

    class JudgeLLM(InstructorBaseRagasLLM):  # type: ignore[misc]
        """The project's judge in the form that ragas asks for. Its prompts carry their own schema."""

        def generate(self, prompt: str, response_model: type[BaseModel]) -> BaseModel:
            return judge.structured([{"role": "user", "content": prompt}], response_model)

        async def agenerate(self, prompt: str, response_model: type[BaseModel]) -> BaseModel:
            return self.generate(prompt, response_model)

    return JudgeLLM()


def _embeddings(embedder: Embedder) -> Any:
    from ragas.embeddings.base import BaseRagasEmbedding

    class LocalEmbedding(BaseRagasEmbedding):  # type: ignore[misc]
        """The product's embedding model; what is compared are questions."""

        def embed_text(self, text: str, **kwargs: Any) -> list[float]:
            return embedder.query(text)

        async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:
            return embedder.query(text)

    return LocalEmbedding()


def _unless(*reasons: Callable[[Sample], str]) -> Callable[[Sample], str]:
    """The first reason that holds, "" where none does."""
    return lambda sample: next((told for told in (reason(sample) for reason in reasons) if told), "")


def _not_answered(sample: Sample) -> str:
    return "" if sample.outcome == "answered" else sample.outcome


def _no_contexts(sample: Sample) -> str:
    return "" if sample.contexts else "nothing was retrieved"


def _no_reference(sample: Sample) -> str:
    return "" if sample.reference else "the gold question has no answer"


def _no_reference_contexts(sample: Sample) -> str:
    return "" if any(text.strip() for text in sample.reference_contexts) else "no indexed clause answers the question"


def names(metrics: Sequence[Metric]) -> list[str]:
    """The names of metrics, in order."""
    return [metric.name for metric in metrics]
