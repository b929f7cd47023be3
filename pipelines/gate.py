"""The refusal gate: a calibrated probability that the best passages of a search answer its question.

A logistic regression over what the search shows (late-interaction scores, how many of the question's words the best
passages hold, words that no clause knows) and over the question's own vector, which tells a question about rules from
one about prices, results or another series. Fitted by ``scripts/fit_gate.py``; the parameters are data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipelines.answer.refuse import CoverageGate
from pipelines.answer.words import WordStatistics, stems
from pipelines.errors import ModelNotFound
from pipelines.glossary import load_glossary
from pipelines.late_interaction import FITTED, FITTED_FOLDER, LateInteractionEncoder
from pipelines.models.files import fingerprint
from pipelines.outside import SIGNS, signs, unknown_names
from pipelines.products import product
from pipelines.schema import Clause, SearchResult
from pipelines.settings import Settings

GATE_FILE = Path(__file__).parent / "data" / "gate.json"
SCORED = 10
"""So many of the best passages are looked at."""

FEATURES = ("best", "margin", "covered", "covered_by_three", "unknown", "unknown_names", *SIGNS, "named")
"""What a search shows, in the order of the parameters:

``best`` the best late-interaction score; ``margin`` how far it stands above the mean of the others; ``covered`` and
``covered_by_three`` the share of the question's word weight in the best passage and in the best of three;
``unknown`` the share in words that no clause has; ``unknown_names`` how many names no clause has; the signs of
:mod:`pipelines.outside`; ``named`` whether the question names an article that exists. An everyday word that the
glossary explains is not unknown, and a passage holds as much of it as of what the regulations write in its place.

The length of a question is no feature: people who ask about the rules are as brief as people who ask about anything
else, but the questions that the gate is fitted on are longer than those from outside.
"""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GateParameters:
    """The fitted gate. ``mean``, ``scale`` and ``weights`` are (features + vector,).

    ``model`` is the fingerprint of the encoder that it was fitted on.
    """

    mean: Floats
    scale: Floats
    weights: Floats
    bias: float
    model: str

    def probability(self, values: Floats) -> float:
        """The probability for one question's features and vector, shape (features + vector,)."""
        score = float(product((values - self.mean) / self.scale, self.weights)) + self.bias
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


def load_parameters(path: Path = GATE_FILE) -> GateParameters:
    """Read the parameters.

    Raises:
        ModelNotFound: there is no such file, or it is no gate of these features.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["features"] != list(FEATURES):
            raise ValueError("its features are others")
        mean, scale, weights = (np.array(data[name], dtype=np.float64) for name in ("mean", "scale", "weights"))
        return GateParameters(mean, scale, weights, float(data["bias"]), str(data["model"]))
    except (OSError, ValueError, KeyError) as error:
        raise ModelNotFound(
            f"the refusal gate {path.name} cannot be read: {error}", "Run: python -m scripts.fit_gate"
        ) from error


def load_gate(settings: Settings, statistics: WordStatistics) -> CoverageGate | FittedGate:
    """The gate for the models that the settings name: the fitted one where both are the fitted model.

    Raises:
        ModelNotFound: the gate's parameters cannot be read, or were fitted on another model.
    """
    plain = CoverageGate(statistics)
    if settings.embed_model != FITTED or settings.reranker != FITTED:
        return plain
    parameters = load_parameters()
    if parameters.model != fingerprint(FITTED_FOLDER):
        raise ModelNotFound("the refusal gate was fitted on another model", "Run: python -m scripts.fit_gate")
    from pipelines.models.fitted import encoder

    return FittedGate(parameters, encoder(FITTED_FOLDER, settings.threads), statistics, plain)


class FittedGate:
    """The probability, from 0 to 1, that the best passages of a search answer its question.

    It reads the scores of the late-interaction reranker; for another reranker's scores it is not fitted. Nor is it for
    documents that are no regulations: where one is found first, ``other`` decides.
    """

    def __init__(
        self,
        parameters: GateParameters,
        encoder: LateInteractionEncoder,
        statistics: WordStatistics,
        other: Callable[[SearchResult], float],
    ) -> None:
        self._parameters = parameters
        self._encoder = encoder
        self._statistics = statistics
        self._other = other

    def __call__(self, result: SearchResult) -> float:
        """The probability for one search; 0 without passages."""
        if not result.passages:
            return 0.0
        if result.passages[0].clause.document.kind != "regulation":
            return self._other(result)
        return self._parameters.probability(values(result, self._encoder, self._statistics))


def values(result: SearchResult, encoder: LateInteractionEncoder, statistics: WordStatistics) -> Floats:
    """The features of a search and its question's vector, shape (features + vector,)."""
    asked = result.understood.question or result.question
    passages = result.passages[:SCORED]
    shown = features(
        asked,
        [passage.score if passage.evidence is None else passage.evidence for passage in passages],
        [passage.clause for passage in passages],
        statistics,
        named=bool(result.understood.articles),
    )
    return np.concatenate([shown, encoder.question(asked).dense.astype(np.float64)])


def features(
    question: str, scores: Sequence[float], clauses: Sequence[Clause], statistics: WordStatistics, *, named: bool
) -> Floats:
    """:data:`FEATURES` of a question and its best clauses with their scores, best first."""
    plain = sorted((score - 1.0 if score > 1.0 else score for score in scores), reverse=True)
    explained = _explained(question)
    weights = {term: _weight(term, explained.get(term, frozenset()), statistics) for term in stems(question)}
    total = sum(weights.values()) or 1.0
    unknown = [weight for term, weight in weights.items() if not statistics.known(term) and term not in explained]
    covered = [_covered(weights, explained, clause) / total for clause in clauses[:3]] or [0.0]
    others = plain[1:] or plain[:1]
    return np.array(
        [
            plain[0],
            plain[0] - sum(others) / len(others),
            covered[0],
            max(covered),
            sum(unknown) / total,
            unknown_names(question, statistics, explained),
            *signs(question),
            float(named),
        ]
    )


def _explained(question: str) -> dict[str, frozenset[str]]:
    """The stems that the glossary explains, each with the stems of what the regulations write in its place."""
    found: dict[str, frozenset[str]] = {}
    for said, written in load_glossary().matches(question):
        for term in stems(said):
            found[term] = found.get(term, frozenset()) | frozenset(stems(written))
    return found


def _weight(term: str, written: frozenset[str], statistics: WordStatistics) -> float:
    """How rare a word is; one that no clause has is as rare as the rarest word that is written in its place."""
    if written and not statistics.known(term):
        return max(statistics.idf(one) for one in written)
    return statistics.idf(term)


def _covered(weights: dict[str, float], explained: dict[str, frozenset[str]], clause: Clause) -> float:
    held = set(stems(" ".join((clause.text, clause.title, clause.term, clause.article, *clause.path))))
    share = 0.0
    for term, weight in weights.items():
        written = explained.get(term, frozenset())
        if term in held:
            share += weight
        elif written:
            share += weight * len(written & held) / len(written)
    return share
