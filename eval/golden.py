"""Gold questions from any indexed corpus: a model writes candidates from clauses, a second pass checks each of them.

A candidate is kept where its quotes stand word for word in its clauses, the second pass finds the question answered by
that evidence alone, and no kept question means the same. Types are balanced. Every reply is cached, so a run goes on
where it stopped. Nothing is written without a model.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from eval.dataset import has_quote
from eval.judging import Judge, ReplyCache
from pipelines.errors import ModelReplyError, SettingsError
from pipelines.index_text import is_searchable
from pipelines.llm import Message, language_model
from pipelines.schema import Clause, Kind, Status
from pipelines.settings import Settings

SAME = 0.9
"""Two questions whose vectors have at least this cosine mean the same."""
TRIES = 4
"""Candidates written for each question wanted, at most."""
MOST_TOKENS = 500

TYPES: Mapping[str, str] = {
    "factual_lookup": "a fact that the clause states",
    "numeric_limit": "a number, limit, period or amount in the clause, asked for with its condition",
    "procedure": "what has to be done, by whom and in which order",
    "comparison": "how two things that the clauses treat differ",
    "enumeration": "a list in the clause, asked for whole",
    "multi_article": "something that needs both clauses to be answered",
}
_TWO_CLAUSES = frozenset({"comparison", "multi_article"})
_CLAUSE = re.compile(r"\b(?:the|this|that|these|those|both|either|two|given|first|second) (?:\w+ )?clauses?\b", re.I)
_NUMBER = re.compile(r"\d")
_ITEM = re.compile(r"(?m)^\(?(?:[a-z]{1,3}|\d{1,2}|[ivxl]+)[.)]\s|^[-•*]\s")

_WRITE = """You write one question for a test of a question-answering system, from the clauses between tags and nothing
else. The question has to make sense to somebody who has not seen the clauses: it names what it is about and never says
"this clause" or an article's number. The answer is one or two short sentences. Each quote is a run of at least four
words copied exactly from a clause; together they hold everything that the answer says.
Reply with JSON and nothing else: {"question": "...", "answer": "...", "quotes": ["..."]}"""
_CHECK = """You check a question of a test against its evidence, and nothing else that you may know. Reply with JSON and
nothing else: {"answered": true or false, "right": true or false, "alone": true or false}
answered: the evidence answers the question. right: the answer agrees with the evidence and adds nothing to it.
alone: the question can be understood by somebody who does not see the evidence."""


class Written(BaseModel):
    """A candidate as the model writes it."""

    question: str = Field(min_length=8)
    answer: str = Field(min_length=1)
    quotes: list[str] = Field(min_length=1)


class Checked(BaseModel):
    """What the second pass says of a candidate."""

    answered: bool
    right: bool
    alone: bool


@dataclass(slots=True)
class Report:
    """How a run went: for each type how many were wanted, written, kept, and why the others were not."""

    wanted: dict[str, int]
    written: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "models": self.models,
            "types": {
                kind: {
                    "wanted": self.wanted[kind],
                    "written": self.written[kind],
                    "kept": self.kept[kind],
                    "dropped": dict(self.dropped.get(kind, {})),
                }
                for kind in self.wanted
            },
            "kept": self.kept.total(),
        }


def generate(
    clauses: Sequence[Clause],
    writer: Judge,
    checker: Judge,
    embed: Callable[[str], Sequence[float]],
    *,
    count: int,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[dict[str, Any]], Report]:
    """Write ``count`` gold questions, balanced over the types, or as many as the corpus and the model give.

    Args:
        clauses: those of the index.
        writer: writes candidates.
        checker: checks them against their evidence alone; the same model or, better, another one.
        embed: a question's vector, to find those that mean the same.
        count: questions wanted.
        seed: of the draw of clauses.
        progress: called with (kept, wanted).

    Raises:
        JudgeDown: a model failed too often in a row; what it wrote is in the cache.
    """
    wanted = {kind: count // len(TYPES) + (place < count % len(TYPES)) for place, kind in enumerate(TYPES)}
    report = Report(wanted, models={"writer": writer.name, "checker": checker.name})
    rows: list[dict[str, Any]] = []
    seen: list[np.ndarray[Any, Any]] = []
    for kind, number in wanted.items():
        draws = _draws(kind, clauses, random.Random(f"{seed} {kind}"))
        for evidence, _ in zip(draws, range(TRIES * number), strict=False):
            if report.kept[kind] == number:
                break
            report.written[kind] += 1
            row, fault, vector = _candidate(kind, evidence, writer, checker, embed, seen)
            if row is None:
                report.dropped.setdefault(kind, Counter())[fault] += 1
                continue
            seen.append(vector)
            rows.append({"id": f"G-{len(rows) + 1:03d}", **row})
            report.kept[kind] += 1
            if progress is not None:
                progress(len(rows), count)
    return rows, report


def open_models(settings: Settings, cache: Path) -> tuple[Judge, Judge]:
    """The model that writes, which is the language model of the settings, and the one that checks: the judge, if set.

    Raises:
        SettingsError: no language model is set: questions are not made up without one.
    """
    from eval.judging import open_judge

    if settings.llm == "none" and not settings.llm_url:
        raise SettingsError("writing gold questions needs a language model and none is set", "Set TECHREG_LLM")
    model = language_model(settings.model_copy(update={"answer_mode": "llm"}))
    assert model is not None  # the mode asks for one
    writer = Judge(model, ReplyCache(cache), MOST_TOKENS, settings.llm_url or settings.llm)
    has_judge = settings.judge != "none" or bool(settings.judge_url)
    return writer, open_judge(settings, cache) if has_judge else writer


def write(rows: Sequence[Mapping[str, Any]], report: Report, out: Path) -> None:
    """Write the questions as JSONL and the report beside them."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    shaped = json.dumps(report.as_dict(), ensure_ascii=False, indent=1)
    out.with_suffix(".report.json").write_text(shaped + "\n", encoding="utf-8")


def _candidate(
    kind: str,
    evidence: Sequence[Clause],
    writer: Judge,
    checker: Judge,
    embed: Callable[[str], Sequence[float]],
    seen: Sequence[np.ndarray[Any, Any]],
) -> tuple[dict[str, Any] | None, str, np.ndarray[Any, Any]]:
    """A row, or why there is none, and the question's vector."""
    nothing = np.zeros(0)
    try:
        written = writer.structured(_write_messages(kind, evidence), Written)
    except ModelReplyError:
        return None, "unreadable", nothing
    if _leans(written.question, kind):
        return None, "leans on the clause", nothing
    if not all(has_quote(quote, evidence) and len(quote.split()) >= 4 for quote in written.quotes):
        return None, "quote not found", nothing
    if len(evidence) > 1 and not all(any(has_quote(quote, [one]) for quote in written.quotes) for one in evidence):
        return None, "one clause is enough", nothing
    try:
        checked = checker.structured(_check_messages(written, evidence), Checked)
    except ModelReplyError:
        return None, "check unreadable", nothing
    for name in ("answered", "right", "alone"):
        if not getattr(checked, name):
            return None, f"not {name}", nothing
    vector = np.asarray(embed(written.question), dtype=np.float64)
    vector /= max(float(np.linalg.norm(vector)), 1e-9)
    if any(float(vector @ other) >= SAME for other in seen):
        return None, "means the same as another", nothing
    return _row(kind, written, evidence), "", vector


def _leans(question: str, kind: str) -> bool:
    """Whether a question makes no sense without its clauses: it speaks of them, or repeats what it was to ask for."""
    words, told = (re.findall(r"\w+", text.lower()) for text in (question, TYPES[kind]))
    return bool(_CLAUSE.search(question)) or set(words) <= {*told, "what", "which", "is", "are", "the"}


def _row(kind: str, written: Written, evidence: Sequence[Clause]) -> dict[str, Any]:
    row: dict[str, Any] = {"question": written.question.strip(), "type": kind}
    if all(clause.file_lines for clause in evidence):
        row["evidence"] = [{"file": one.document.file, "lines": list(one.file_lines or ())} for one in evidence]
    else:
        row["articles"] = [clause.article for clause in evidence]
    numbers = [number for number in re.findall(r"\d[\d.,]*\d|\d", written.answer) if has_quote(number, evidence)]
    row |= {"answer": written.answer.strip(), "quotes": written.quotes, "style": "generated"}
    if numbers:
        row["must_include"] = list(dict.fromkeys(numbers))
    elif any(one.article.startswith("APP ") for one in evidence):
        row["must_include"] = [written.quotes[0]]
    return row


def _draws(kind: str, clauses: Sequence[Clause], draw: random.Random) -> Iterator[tuple[Clause, ...]]:
    """Clauses that may give a question of a type, in a random order."""
    fitting = [clause for clause in clauses if _suits(kind, clause)]
    draw.shuffle(fitting)
    if kind not in _TWO_CLAUSES:
        yield from ((clause,) for clause in fitting)
        return
    families: dict[tuple[str, str], list[Clause]] = {}
    for clause in fitting:
        parent = clause.ancestors[-1] if clause.ancestors else clause.document.file
        families.setdefault((clause.document.file, parent), []).append(clause)
    for family in families.values():
        yield from zip(family[0::2], family[1::2], strict=False)


def _suits(kind: str, clause: Clause) -> bool:
    words = len(clause.text.split())
    if not is_searchable(clause) or clause.status != Status.IN_FORCE or not 12 <= words <= 350:
        return False
    if kind == "numeric_limit":
        return bool(_NUMBER.search(clause.text))
    if kind in ("procedure", "enumeration"):
        return len(_ITEM.findall(clause.text)) >= 2
    return kind not in _TWO_CLAUSES or clause.kind != Kind.DEFINITION


def _write_messages(kind: str, evidence: Sequence[Clause]) -> list[Message]:
    asked = f"Ask for {TYPES[kind]}.\n{_fenced(evidence)}"
    return [{"role": "system", "content": _WRITE}, {"role": "user", "content": asked}]


def _check_messages(written: Written, evidence: Sequence[Clause]) -> list[Message]:
    asked = f"{_fenced(evidence)}\n<question>{written.question}</question>\n<answer>{written.answer}</answer>"
    return [{"role": "system", "content": _CHECK}, {"role": "user", "content": asked}]


def _fenced(evidence: Sequence[Clause]) -> str:
    texts = (f"{' > '.join((*clause.path, clause.title))}\n{clause.text}" for clause in evidence)
    return "\n".join(f"<clause>{text.replace('<', '‹').replace('>', '›')}</clause>" for text in texts)
