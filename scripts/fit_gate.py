"""Fit the refusal gate on an index of the fitted models; print what it refuses of questions that it did not see."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.gate import GateParameters
    from pipelines.settings import Settings
    from scripts.training.gate import Sample

_DATA = Path(__file__).parents[1] / "eval" / "data"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, measure, and write ``pipelines/data/gate.json``; exit code 0."""
    from pipelines.gate import GATE_FILE

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, default=Path("../shared/train/questions.jsonl"), help="JSONL of q, a")
    parser.add_argument("--documents", type=Path, help="folder of PDFs to index first; else the index of the settings")
    parser.add_argument("--near-misses", type=Path, default=_DATA / "near_misses.jsonl", help="JSONL with kind, split")
    parser.add_argument("--plain", type=Path, default=_DATA / "plain.jsonl", help="JSONL with kind, split")
    parser.add_argument("--general", type=Path, default=_DATA / "general.jsonl", help="JSONL of general questions")
    parser.add_argument("--trained", type=int, default=600, help="questions taken of those the encoder was fitted on")
    parser.add_argument("--refused", type=float, default=0.02, help="share of answerable questions that may be refused")
    parser.add_argument("--out", type=Path, default=GATE_FILE, help="where the parameters go")
    options = parser.parse_args(arguments)
    print(json.dumps(_fit(options), indent=1))
    return 0


def _fit(options: argparse.Namespace) -> dict[str, object]:
    from pipelines.errors import ReadError
    from pipelines.ingest import ingest
    from pipelines.settings import load_settings

    with ExitStack() as stack:
        settings = load_settings(embed_model="fitted", reranker="fitted")
        if options.documents:
            settings = settings.model_copy(update={"storage": Path(stack.enter_context(TemporaryDirectory()))})
            report = ingest([options.documents], settings)
            if report.failed:
                raise ReadError(f"{report.failed} of the documents cannot be read")
        return _fit_on(options, settings)


def _fit_on(options: argparse.Namespace, settings: Settings) -> dict[str, object]:
    from pipelines.engine import Engine
    from pipelines.models.embedding import embedder_identity
    from scripts.training.corpus import load_questions, split
    from scripts.training.gate import Collector, fit_gate, save_gate
    from scripts.training.gate_questions import made_up

    train, dev = split(load_questions(options.questions))
    near, plain, general = map(_rows, (options.near_misses, options.plain, options.general))
    with Engine(settings) as engine:
        collect = Collector(engine, settings)
        known = collect.answerable(random.Random(2026).sample(train, min(options.trained, len(train))))
        unseen = collect.answerable(dev)
        outside = collect.outside([*made_up(), *(row["question"] for row in general)], "made up")
        missing: dict[str, list[Sample]] = defaultdict(list)
        for row in near:
            missing[row["split"]] += collect.outside([row["question"]], row["kind"])
        brief: dict[str, list[Sample]] = defaultdict(list)
        for row in plain:
            brief[row["split"]] += collect.plain([row["question"]], row["kind"])
    samples = [*known, *unseen, *outside, *missing["fit"], *brief["fit"]]
    gate, report = fit_gate(samples, unseen, embedder_identity(settings).fingerprint, options.refused)
    save_gate(gate, options.out)
    return {
        **report,
        "held_out_near_misses": _told(gate, missing["held-out"]),
        "held_out_let_through": [s.question for s in missing["held-out"] if gate.probability(s.values) >= 0.5],
        "held_out_plain": _told(gate, brief["held-out"]),
        "held_out_plain_refused": [s.question for s in brief["held-out"] if gate.probability(s.values) < 0.5],
    }


def _told(gate: GateParameters, samples: Sequence[Sample]) -> dict[str, object]:
    """How many there are, and the share that is refused, of all and of each kind."""
    from scripts.training.gate import refused

    kinds = sorted({sample.kind for sample in samples})
    by_kind = {kind: refused(gate, [sample for sample in samples if sample.kind == kind]) for kind in kinds}
    return {"n": len(samples), "refused": refused(gate, samples), "by_kind": by_kind}


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
