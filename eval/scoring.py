"""Metrics over samples: what was attempted, scored, failed or not applicable, kept as it comes and resumed."""

from __future__ import annotations

import json
import math
import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eval.intervals import Interval, interval
from eval.judging import JudgeDown
from eval.samples import Sample
from pipelines.errors import ModelError, TechRegError, UsageError

SCORED, FAILED, NOT_APPLICABLE = "scored", "failed", "not applicable"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of one sample. ``blocked`` says why it cannot be asked of a sample, "" where it can.

    ``value`` raises where it cannot be told; a NaN counts as a failure.
    """

    name: str
    value: Callable[[Sample], float]
    blocked: Callable[[Sample], str] = lambda _: ""


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of one sample: its value where it was scored, else why not."""

    id: str
    metric: str
    outcome: str
    value: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric over all samples. The mean is over those scored, None where none was; ``reasons`` count the others."""

    metric: str
    mean: float | None
    interval: Interval | None
    attempted: int
    scored: int
    failed: int
    not_applicable: int
    reasons: dict[str, int]


def run(
    samples: Sequence[Sample],
    metrics: Sequence[Metric],
    store: Path,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Score]:
    """Score every sample by every metric; what ``store`` (JSONL) holds is not scored again, but for failures.

    Raises:
        ModelError: the judge failed so often in a row that it was left alone; what was scored is kept.
    """
    kept = {(score.id, score.metric): score for score in read(store) if score.outcome != FAILED}
    tasks = [(sample, metric) for sample in samples for metric in metrics]
    lock = threading.Lock()
    done = 0
    store.parent.mkdir(parents=True, exist_ok=True)
    with store.open("a", encoding="utf-8") as out, ThreadPoolExecutor(workers) as pool:

        def one(task: tuple[Sample, Metric]) -> Score:
            nonlocal done
            sample, metric = task
            score = kept.get((sample.id, metric.name))
            fresh = score is None
            score = score or scored(sample, metric)
            with lock:
                done += 1
                if fresh:
                    out.write(json.dumps(asdict(score), ensure_ascii=False) + "\n")
                    out.flush()
                if progress is not None:
                    progress(done, len(tasks))
            return score

        futures = [pool.submit(one, task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except JudgeDown as error:
            for future in futures:
                future.cancel()
            raise ModelError(str(error), "Check the judge's settings, then run the same command to go on") from error


def scored(sample: Sample, metric: Metric) -> Score:
    """One metric of one sample; only :class:`JudgeDown` is let through."""
    if reason := metric.blocked(sample):
        return Score(sample.id, metric.name, NOT_APPLICABLE, reason=reason)
    try:
        value = metric.value(sample)
    except JudgeDown:
        raise
    except TechRegError as error:
        return Score(sample.id, metric.name, FAILED, reason=f"{type(error).__name__}: {error.message}")
    except Exception as error:  # a metric's library raises whatever it likes; none of it may end the run
        return Score(sample.id, metric.name, FAILED, reason=f"{type(error).__name__}: {str(error)[:120]}")
    if math.isnan(value):
        return Score(sample.id, metric.name, FAILED, reason="no number: the judge's reply left nothing to count")
    return Score(sample.id, metric.name, SCORED, float(value))


def summaries(scores: Sequence[Score], metrics: Sequence[str]) -> list[Summary]:
    """The mean, interval and counts of each metric."""
    return [_summary(name, [score for score in scores if score.metric == name]) for name in metrics]


def read(store: Path) -> list[Score]:
    """The scores of a file, the latest of each sample and metric; none where there is no file."""
    if not store.exists():
        return []
    latest: dict[tuple[str, str], Score] = {}
    for line in store.read_text(encoding="utf-8").splitlines():
        try:
            score = Score(**json.loads(line))
        except (ValueError, TypeError):  # half a line of a run that was killed
            continue
        latest[score.id, score.metric] = score
    return list(latest.values())


def claim(folder: Path, record: Mapping[str, Any]) -> None:
    """Make a folder the place of one run, or go on with that run.

    Raises:
        UsageError: another run is in the folder; the message names what differs.
    """
    path = folder / "run.json"
    folder.mkdir(parents=True, exist_ok=True)
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        differing = sorted(key for key in {*before, *record} if before.get(key) != record.get(key))
        if differing:
            raise UsageError(
                f"{folder} holds another run: {', '.join(differing)} differ", "Give another folder with --out"
            )
        return
    path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _summary(name: str, scores: Sequence[Score]) -> Summary:
    values = [score.value for score in scores if score.value is not None]
    reasons: dict[str, int] = {}
    for score in scores:
        if score.reason:
            kind = score.reason.split(":")[0]
            reasons[kind] = reasons.get(kind, 0) + 1
    return Summary(
        metric=name,
        mean=round(statistics.fmean(values), 4) if values else None,
        interval=interval(values) if values else None,
        attempted=len(scores),
        scored=len(values),
        failed=sum(score.outcome == FAILED for score in scores),
        not_applicable=sum(score.outcome == NOT_APPLICABLE for score in scores),
        reasons=dict(sorted(reasons.items())),
    )
