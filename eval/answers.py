"""Answers scored against gold questions: are the required strings in them, early enough, and are they short.

    python -m eval.answers ANSWERS.jsonl GOLD.jsonl

``ANSWERS.jsonl`` is what ``techreg ask --batch GOLD.jsonl --json`` prints. Averages are over all gold questions: a
question that was refused, that failed or that has no answer line scores 0.
"""

from __future__ import annotations

import json
import math
import re
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eval.gold import GoldQuestion, read_gold, squeeze

EARLY_WORDS = 120


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """Scores over all gold questions. ``words`` are without tables; ``missed`` are ids that lack a required string."""

    n: int
    answered: int
    refused: int
    failed: int
    absent: int
    complete: float
    complete_early: float
    by_style: dict[str, float]
    words_median: float
    words_p95: float
    verified: float  # of all citations shown
    missed: tuple[str, ...]


def evaluate(gold: Sequence[GoldQuestion], answers: Mapping[str, Mapping[str, Any]]) -> AnswerReport:
    """Score answers by question id."""
    complete: dict[str, bool] = {}
    early: dict[str, bool] = {}
    lengths: list[int] = []
    outcomes = {"answered": 0, "refused": 0, "failed": 0, "absent": 0}
    citations: list[bool] = []
    for question in gold:
        answer = answers.get(question.id)
        outcome = str(answer["outcome"]) if answer else "absent"
        outcomes[outcome] += 1
        text = str(answer["answer"]) if answer and outcome == "answered" else ""
        complete[question.id] = bool(text) and has_all(question, text)
        early[question.id] = bool(text) and has_all(question, first_words(text, EARLY_WORDS))
        if answer and outcome == "answered":
            lengths.append(words_without_tables(text))
            citations += [bool(citation["verified"]) for citation in answer["citations"]]
    return AnswerReport(
        n=len(gold),
        complete=_share(complete.values()),
        complete_early=_share(early.values()),
        by_style={
            style: _share(complete[q.id] for q in gold if q.style == style)
            for style in sorted({q.style for q in gold if q.style})
        },
        words_median=float(statistics.median(lengths)) if lengths else 0.0,
        words_p95=percentile(lengths, 0.95),
        verified=_share(citations),
        missed=tuple(id_ for id_, whole in complete.items() if not whole),
        **outcomes,
    )


def has_all(question: GoldQuestion, text: str) -> bool:
    """Whether every required string of a question is in a text, white space and letter case apart."""
    squeezed = squeeze(text)
    return all(squeeze(wanted) in squeezed for wanted in question.must_include)


def first_words(text: str, count: int) -> str:
    """The text up to its ``count``-th word."""
    words = list(re.finditer(r"\S+", text))
    return text if len(words) <= count else text[: words[count - 1].end()]


def words_without_tables(text: str) -> int:
    """Words of a text, its Markdown table lines left out."""
    return sum(len(line.split()) for line in text.splitlines() if not line.lstrip().startswith("|"))


def percentile(values: Sequence[int], share: float) -> float:
    """The smallest value that at least ``share`` of the values do not exceed; 0 of none."""
    ordered = sorted(values)
    return float(ordered[max(0, math.ceil(share * len(ordered)) - 1)]) if ordered else 0.0


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return sum(values) / len(values) if values else 0.0


def main(arguments: Sequence[str]) -> int:
    """Print the report as one JSON document."""
    if len(arguments) != 2:
        print("usage: python -m eval.answers ANSWERS.jsonl GOLD.jsonl", file=sys.stderr)
        return 2
    lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
    answers = {str(line["id"]): line for line in map(json.loads, filter(str.strip, lines))}
    print(json.dumps(asdict(evaluate(read_gold(Path(arguments[1])), answers)), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
