"""Fitting what tells a needed piece: marked pieces to feature rows, boosted trees, and their ONNX form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipelines.answer.extractive import Weighed
from pipelines.answer.need_features import features
from pipelines.answer.relevance import load_relevance
from pipelines.answer.words import WordStatistics
from pipelines.models.trees import COLUMNS, INPUT, OUTPUT
from pipelines.schema import Clause
from pipelines.settings import Settings

if TYPE_CHECKING:
    from sklearn.ensemble import GradientBoostingClassifier

    from pipelines.engine import Engine

MARKS = Path(__file__).parent / "needed.jsonl"
SEEDS = range(5)
_FOLDS = 5
_OPSET = [("", 17), ("ai.onnx.ml", 3)]


@dataclass(frozen=True, slots=True)
class Mark:
    """Which pieces of its clause a training question's answer needs, and which would also do.

    ``line`` is the question's line, from 1, in the file of training questions; ``text`` is the start of the SHA-256 of
    the clause's words, so that marks of a clause that reads otherwise now are left out.
    """

    line: int
    text: str
    pieces: int
    need: tuple[int, ...]
    also: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """n pieces: ``values`` (n, columns), ``labels`` (n,), ``weights`` (n,) and the question ``group`` of each (n,).

    ``fold`` (n,) keeps the questions of an article together.
    """

    columns: tuple[str, ...]
    values: NDArray[np.float32]
    labels: NDArray[np.float64]
    weights: NDArray[np.float64]
    group: NDArray[np.intp]
    fold: NDArray[np.intp]


def load_marks(path: Path = MARKS) -> list[Mark]:
    """Read the marks from JSONL."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Mark(row["line"], row["text"], row["pieces"], tuple(row["need"]), tuple(row["also"])) for row in rows]


def text_mark(clause: Clause) -> str:
    """The start of the SHA-256 of a clause's words."""
    return hashlib.sha256(clause.text.encode()).hexdigest()[:12]


def collect(engine: Engine, settings: Settings, questions: Sequence[Mapping[str, Any]], marks: Sequence[Mark]) -> Rows:
    """The rows of all marked questions whose clause still reads and is cut as it was.

    Pieces that would also do count neither way; a clause of many pieces counts less a piece.

    Raises:
        ValueError: no mark fits the index.
    """
    columns: tuple[str, ...] = ()
    parts: list[tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64], int]] = []
    for table, mark, article in _tables(engine, settings, questions, marks):
        columns = tuple(table)
        labels, weights = np.zeros(mark.pieces), np.full(mark.pieces, mark.pieces**-0.5)
        labels[list(mark.need)] = 1.0
        weights[list(mark.also)] = 0.0
        fold = int(hashlib.sha256(article.encode()).hexdigest(), 16) % _FOLDS
        parts.append((np.stack(list(table.values()), axis=1), labels, weights, fold))
    if not parts:
        raise ValueError("no mark fits what is indexed")
    sizes = [len(labels) for _, labels, _, _ in parts]
    return Rows(
        columns,
        np.concatenate([values for values, _, _, _ in parts]),
        np.concatenate([labels for _, labels, _, _ in parts]),
        np.concatenate([weights for _, _, weights, _ in parts]),
        np.repeat(np.arange(len(parts)), sizes),
        np.repeat([fold for _, _, _, fold in parts], sizes),
    )


def _tables(
    engine: Engine, settings: Settings, questions: Sequence[Mapping[str, Any]], marks: Sequence[Mark]
) -> Iterator[tuple[dict[str, NDArray[np.float32]], Mark, str]]:
    relevance = load_relevance(settings, engine)
    if relevance is None:
        raise ValueError("the index holds no token vectors")
    statistics = WordStatistics(" ".join((c.text, c.title, c.term, *c.path)) for c in engine.clauses(""))
    for mark in marks:
        asked = questions[mark.line - 1]
        found = [clause for clause in engine.clauses(asked["a"]) if text_mark(clause) == mark.text]
        weighed = Weighed(engine.search(asked["q"], k=1), statistics, relevance)
        for clause in found[:1]:
            candidates, matches = weighed.candidates(clause), weighed.matches(clause)
            if matches is not None and len(candidates) == mark.pieces:
                yield features(weighed.question, clause, candidates, matches), mark, asked["a"]


def fit(rows: Rows, chosen: NDArray[np.bool_] | None = None) -> list[GradientBoostingClassifier]:
    """Boosted trees, one model a seed, on the rows that count."""
    from sklearn.ensemble import GradientBoostingClassifier

    used = rows.weights > 0 if chosen is None else chosen & (rows.weights > 0)
    return [
        GradientBoostingClassifier(
            init="zero",
            learning_rate=0.05,
            n_estimators=150,
            max_depth=None,
            max_leaf_nodes=8,
            min_samples_leaf=40,
            max_features=0.4,
            subsample=0.7,
            random_state=seed,
        ).fit(rows.values[used], rows.labels[used], sample_weight=rows.weights[used])
        for seed in SEEDS
    ]


def log_odds(models: Sequence[GradientBoostingClassifier], values: NDArray[np.float32]) -> NDArray[np.float64]:
    """The mean of the models' log-odds, shape (n,)."""
    return np.asarray(np.mean([model.decision_function(values) for model in models], axis=0))


def held_out(rows: Rows) -> dict[str, float]:
    """How well pieces are told by fits that did not see their articles: the mean over questions of the area under the
    curve and of the average precision. Questions all of whose pieces are needed, or none, are left out."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    odds = np.zeros(len(rows.labels))
    for fold in range(_FOLDS):
        inside = rows.fold == fold
        if inside.any() and not inside.all():
            odds[inside] = log_odds(fit(rows, ~inside), rows.values[inside])
    areas, precisions = [], []
    for group in range(int(rows.group.max()) + 1):
        own = (rows.group == group) & (rows.weights > 0)
        if len(set(rows.labels[own])) == 2:
            areas.append(roc_auc_score(rows.labels[own], odds[own]))
            precisions.append(average_precision_score(rows.labels[own], odds[own]))
    return {"questions": len(areas), "area": float(np.mean(areas)), "precision": float(np.mean(precisions))}


def export(models: Sequence[GradientBoostingClassifier], columns: Sequence[str], path: Path) -> None:
    """Write the mean of the models as one ONNX tree ensemble: :data:`INPUT` (n, columns) to :data:`OUTPUT` (n, 1)."""
    import onnx
    from onnx import TensorProto, helper

    nodes: dict[str, list[Any]] = {name: [] for name in _NODES}
    leaves: dict[str, list[Any]] = {name: [] for name in _LEAVES}
    stages = [(model, stage) for model in models for (stage,) in model.estimators_]
    for number, (model, stage) in enumerate(stages):
        tree = stage.tree_
        for node in range(tree.node_count):
            leaf = tree.children_left[node] == tree.children_right[node]
            values = (
                number,
                node,
                0 if leaf else int(tree.feature[node]),
                "LEAF" if leaf else "BRANCH_LEQ",
                0.0 if leaf else _float32(tree.threshold[node]),
                0 if leaf else int(tree.children_left[node]),
                0 if leaf else int(tree.children_right[node]),
            )
            for name, value in zip(_NODES, values, strict=True):
                nodes[name].append(value)
            if leaf:
                weight = model.learning_rate * float(tree.value[node, 0, 0]) / len(models)
                for name, value in zip(_LEAVES, (number, node, 0, weight), strict=True):
                    leaves[name].append(value)
    ensemble = helper.make_node(
        "TreeEnsembleRegressor", [INPUT], [OUTPUT], domain="ai.onnx.ml", n_targets=1, **nodes, **leaves
    )
    graph = helper.make_graph(
        [ensemble],
        "need",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", len(columns)])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", 1])],
    )
    opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSET]
    model_proto = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="techreg-analyst")
    helper.set_model_props(model_proto, {COLUMNS: json.dumps(list(columns))})
    onnx.checker.check_model(model_proto)
    path.write_bytes(model_proto.SerializeToString())


def _float32(threshold: float) -> float:
    """The largest float32 that does not exceed a threshold: float32 values fall on the same side of both."""
    nearest = np.float32(threshold)
    return float(nearest if nearest <= threshold else np.nextafter(nearest, np.float32(-np.inf)))


_NODES = (
    "nodes_treeids",
    "nodes_nodeids",
    "nodes_featureids",
    "nodes_modes",
    "nodes_values",
    "nodes_truenodeids",
    "nodes_falsenodeids",
)
_LEAVES = ("target_treeids", "target_nodeids", "target_ids", "target_weights")
