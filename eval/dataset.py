"""Gold files checked against an index: every id exists, every evidence quote is found where it is said to stand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.gold import GoldQuestion, read_gold, squeeze
from pipelines.schema import Clause


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one question."""

    id: str
    told: str


def validate(path: Path, clauses: Sequence[Clause]) -> tuple[int, list[Problem]]:
    """How many questions a gold file holds, and what is wrong with them.

    An id has to be that of a clause, mended or printed, or of something above one; a span has to meet a passage of its
    file; a quote (the field ``quotes``) has to stand word for word in a clause that the question names.

    Raises:
        UsageError: the file is no gold file at all; the message names the line.
    """
    gold = read_gold(path)
    rows = {str(row["id"]): row for row in _rows(path)}
    known = {name for clause in clauses for name in (clause.article, clause.article_printed, *clause.ancestors)}
    problems = [problem for question in gold for problem in _problems(question, rows[question.id], clauses, known)]
    return len(gold), problems


def places(question: GoldQuestion, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses that a question names: its articles and what is below them, or the passages its spans meet."""
    if question.evidence:
        return [clause for clause in clauses if question.answered_by(clause)]
    named = {*question.articles, *question.also}
    return [clause for clause in clauses if named & {clause.article, clause.article_printed, *clause.ancestors}]


def has_quote(quote: str, clauses: Sequence[Clause]) -> bool:
    """Whether a quote stands in one of the clauses, case and white space apart; an empty one does not."""
    wanted = squeeze(quote)
    return bool(wanted) and any(wanted in squeeze(clause.text) for clause in clauses)


def _problems(
    question: GoldQuestion, row: Mapping[str, Any], clauses: Sequence[Clause], known: set[str]
) -> list[Problem]:
    told = [f"there is no article {name}" for name in (*question.articles, *question.also) if name not in known]
    for span in question.evidence:
        lines = [clause.file_lines for clause in clauses if clause.document.file == span.file and clause.file_lines]
        if not any(span.meets(span.file, place) for place in lines):
            told.append(f"no indexed passage meets {span}")
    named = places(question, clauses)
    quotes = [str(quote) for quote in row.get("quotes", ())]
    told += [f"the quote is not there: {quote[:60]!r}" for quote in quotes if not has_quote(quote, named)]
    if "quotes" in row and not quotes:
        told.append("there is no evidence quote")
    return [Problem(question.id, one) for one in told]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
