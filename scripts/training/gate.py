"""Fitting the refusal gate: samples from searches, a logistic regression, and its operating point."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pipelines.answer.words import WordStatistics
from pipelines.engine import Engine
from pipelines.gate import FEATURES, Floats, GateParameters, values
from pipelines.late_interaction import FITTED_FOLDER
from pipelines.models.fitted import encoder
from pipelines.schema import Passage, SearchResult
from pipelines.settings import Settings
from scripts.training.corpus import Question
from scripts.training.logistic import fit_logistic

_PENALTY = 1.0
_VECTOR_PENALTY = 100.0
_FOLDS = 5
_LEFT_OUT = 3
PLAIN = "plain: "
"""Before the kind of a short plain question."""
_COMMON = ("answerable", "wrong clause", "made up")
_SHARES = {"wrong clause": 0.01}
"""Wrong clauses count less: many of them answer in part, and their questions are the answerable ones."""
_PLAIN_SHARE = 3.0
"""Short plain questions count more: there are few of them, and people ask little else."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with its features: ``label`` 1 where the best passage may answer, ``kind`` says where it is from."""

    question: str
    group: str
    kind: str
    values: Floats
    label: float


class Collector:
    """Searches questions and takes the gate's features of what is found."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._encoder = encoder(FITTED_FOLDER, settings.threads)
        # The same texts as answering counts its words over.
        texts = (" ".join((c.text, c.title, c.term, *c.path)) for c in engine.clauses(""))
        self._statistics = WordStatistics(texts)

    def answerable(self, questions: Sequence[Question]) -> list[Sample]:
        """Two samples a question: as it is searched, and with the right article and the next best taken away."""
        samples: list[Sample] = []
        for question in questions:
            result = self._engine.search(question.text, k=20)
            samples.append(self._sample(result, question.article, "answerable", 1.0))
            wrong = [passage for passage in result.passages if not _belongs(passage, question.article)]
            if len(wrong) > _LEFT_OUT:
                left = replace(result, passages=tuple(wrong[_LEFT_OUT:]))
                samples.append(self._sample(left, question.article, "wrong clause", 0.0))
        return samples

    def plain(self, questions: Sequence[str], kind: str) -> list[Sample]:
        """A sample for each short question that the regulations answer."""
        return [self._sample(self._engine.search(one, k=20), one, f"{PLAIN}{kind}", 1.0) for one in questions]

    def outside(self, questions: Sequence[str], kind: str) -> list[Sample]:
        """A sample for each question that nothing answers."""
        return [self._sample(self._engine.search(question, k=20), question, kind, 0.0) for question in questions]

    def _sample(self, result: SearchResult, group: str, kind: str, label: float) -> Sample:
        return Sample(result.question, group, kind, values(result, self._encoder, self._statistics), label)


def _belongs(passage: Passage, article: str) -> bool:
    clause = passage.clause
    return article in (clause.article, clause.article_printed, *clause.ancestors)


def fit_gate(
    samples: Sequence[Sample], unseen: Sequence[Sample], model: str, allowed: float
) -> tuple[GateParameters, dict[str, object]]:
    """Fit the gate, and set its prior so that it refuses ``allowed`` of the unseen answerable questions at 0.5.

    Args:
        samples: all samples to fit on.
        unseen: those of ``samples`` whose questions the encoder was not fitted on; the prior is set on them, each
            scored by a fit without its article.
        model: the fingerprint of the encoder.
        allowed: the share of answerable questions that may be refused.
    """
    answerable = [sample for sample in unseen if sample.label]
    scores = np.zeros(len(answerable))
    for fold in range(_FOLDS):
        inside = [place for place, sample in enumerate(answerable) if _fold(sample.group) == fold]
        if not inside:
            continue
        gate = _fitted([sample for sample in samples if _fold(sample.group) != fold], model)
        scores[inside] = [_logit(gate, answerable[place].values) for place in inside]
    apart = [kind for kind in sorted({s.kind for s in samples}) if kind not in _COMMON]
    rest = {kind: [sample for sample in samples if sample.kind != kind] for kind in apart}
    by_kind = {
        kind: _fitted(others, model) for kind, others in rest.items() if any(not other.label for other in others)
    }
    gate = _fitted(samples, model)
    shift = float(np.quantile(scores, allowed))
    gate = replace(gate, bias=gate.bias - shift)
    report: dict[str, object] = {
        "samples": {kind: sum(1 for s in samples if s.kind == kind) for kind in sorted({s.kind for s in samples})},
        "unseen_answerable": len(answerable),
        "unseen_answerable_refused": round(float(np.mean(scores < shift)), 4),
        "refused_by_a_fit_without_their_kind": {
            kind: refused(replace(other, bias=other.bias - shift), [s for s in samples if s.kind == kind])
            for kind, other in by_kind.items()
        },
        "prior_shift": round(-shift, 3),
        "weights": {name: round(float(w), 3) for name, w in zip(FEATURES, gate.weights, strict=False)},
    }
    return gate, report


def refused(gate: GateParameters, samples: Sequence[Sample]) -> float:
    """The share of samples below a probability of 0.5."""
    return round(float(np.mean([gate.probability(sample.values) < 0.5 for sample in samples])), 4)


def save_gate(gate: GateParameters, path: Path) -> None:
    """Write the parameters as :func:`pipelines.gate.load_parameters` reads them."""
    data = {
        "features": list(FEATURES),
        "model": gate.model,
        "bias": round(gate.bias, 6),
        **{name: [round(float(v), 6) for v in getattr(gate, name)] for name in ("mean", "scale", "weights")},
    }
    path.write_text(json.dumps(data) + "\n", encoding="utf-8")


def _fitted(samples: Sequence[Sample], model: str) -> GateParameters:
    held = np.stack([sample.values for sample in samples])
    labels = np.array([sample.label for sample in samples])
    mean, scale = held.mean(0), held.std(0) + 1e-6
    kinds = {sample.kind for sample in samples}
    share = {kind: _PLAIN_SHARE if kind.startswith(PLAIN) else _SHARES.get(kind, 1.0) for kind in kinds}
    importance = np.array([share[sample.kind] for sample in samples])
    importance *= np.where(labels > 0, 0.5 / importance[labels > 0].sum(), 0.5 / importance[labels == 0].sum())
    importance *= len(samples)
    penalty = np.array([_PENALTY] * len(FEATURES) + [_VECTOR_PENALTY] * (held.shape[1] - len(FEATURES)))
    weights, bias = fit_logistic((held - mean) / scale, labels, importance, penalty)
    return GateParameters(mean, scale, weights, bias, model)


def _fold(group: str) -> int:
    return sum(group.encode()) % _FOLDS


def _logit(gate: GateParameters, sample: Floats) -> float:
    return float(((sample - gate.mean) / gate.scale) @ gate.weights) + gate.bias
