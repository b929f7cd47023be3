"""Gold questions: each with the clauses that answer it, read from JSONL and checked."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from pipelines.errors import UsageError
from pipelines.schema import Clause

APPENDIX = "APP "


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a text file that answer: its base name, the first and the last line, from 1, both included."""

    file: str
    first: int
    last: int

    def __str__(self) -> str:
        """The span's name, as ``file:first-last``."""
        return f"{self.file}:{self.first}-{self.last}"

    def meets(self, file: str, lines: tuple[int, int]) -> bool:
        """Whether lines of a file overlap with the span; folders are left out of account."""
        return PurePath(file).name == self.file and lines[0] <= self.last and self.first <= lines[1]


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and its answer's place: articles of the regulations, or lines of text files.

    ``articles`` are the smallest clauses that answer (asked for by recall); ``also`` are others that answer by
    themselves (a hit, not asked for). ``must_include`` are strings that a right answer contains. ``evidence`` are the
    lines of text files that answer; such a question has no articles.
    """

    id: str
    question: str
    articles: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    evidence: tuple[Span, ...] = ()
    answer: str = ""
    must_include: tuple[str, ...] = ()
    style: str = ""
    type: str = ""
    difficulty: str = ""
    history: tuple[str, ...] = ()

    @property
    def sections(self) -> frozenset[str]:
        """The letters of the sections that the answer stands in, or the names of the files."""
        letters = (article.removeprefix(APPENDIX)[:1] for article in (*self.articles, *self.also))
        return frozenset((*letters, *(span.file for span in self.evidence)))

    @property
    def wanted(self) -> tuple[str, ...]:
        """What recall asks for: the articles, or the names of the evidence spans."""
        return (*self.articles, *(str(span) for span in self.evidence))

    def answered_by(self, clause: Clause) -> frozenset[str]:
        """The gold articles, or the evidence spans by name, that a clause answers; empty when it is no hit.

        A clause answers a gold article that is its own id, as mended or as printed. It also does where it stands above
        or below that article and one of ``must_include`` is in its text. For an ``APP`` article, which may hold a
        hundred definitions, one of ``must_include`` has to be in the text in any case. A passage of a text file answers
        the evidence spans that its lines overlap with.
        """
        if self.evidence:
            lines = clause.file_lines
            met = (span for span in self.evidence if lines and span.meets(clause.document.file, lines))
            return frozenset(str(span) for span in met)
        return frozenset(gold for gold in (*self.articles, *self.also) if self._answers(gold, clause))

    def _answers(self, gold: str, clause: Clause) -> bool:
        own = gold in (clause.article, clause.article_printed)
        if own and not gold.startswith(APPENDIX):
            return bool(clause.text.strip())
        related = own or _is_above(clause.article, gold) or _is_above(gold, clause.article) or gold in clause.ancestors
        return related and self._tells(clause)

    def _tells(self, clause: Clause) -> bool:
        text = squeeze(f"{clause.term} {clause.text}")
        return any(squeeze(wanted) in text for wanted in self.must_include)


def squeeze(text: str) -> str:
    """A text for comparison: compatibility forms, lower case, no white space, plain quotes."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return re.sub(r"\s+", "", plain).casefold()


def read_gold(path: Path) -> list[GoldQuestion]:
    """The questions of a JSONL file.

    Raises:
        UsageError: the file cannot be read, a line is no question, or an id occurs twice; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    questions: dict[str, GoldQuestion] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        question = _question(line, f"{path}, line {number}")
        if question.id in questions:
            raise UsageError(f"{path}, line {number}: the id {question.id} occurs twice")
        questions[question.id] = question
    if not questions:
        raise UsageError(f"{path} holds no question")
    return list(questions.values())


def _question(line: str, where: str) -> GoldQuestion:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where}: not JSON") from error
    if not isinstance(data, dict) or not data.get("id") or not data.get("question"):
        raise UsageError(f"{where}: needs id, question and articles or evidence")
    if bool(data.get("articles")) == bool(data.get("evidence")):
        raise UsageError(f"{where}: needs either articles or evidence")
    return GoldQuestion(
        id=str(data["id"]),
        question=str(data["question"]),
        articles=_strings(data.get("articles", ())),
        also=_strings(data.get("also", ())),
        evidence=tuple(_span(entry, where) for entry in data.get("evidence", ())),
        answer=str(data.get("answer", "")),
        must_include=_strings(data.get("must_include", ())),
        style=str(data.get("style", "")),
        type=str(data.get("type", "")),
        difficulty=str(data.get("difficulty", "")),
        history=_strings(data.get("history", ())),
    )


def _span(entry: object, where: str) -> Span:
    try:
        first, last = (int(number) for number in entry["lines"])  # type: ignore[index]
        span = Span(PurePath(str(entry["file"])).name, first, last)  # type: ignore[index]
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{where}: evidence is a list of {{file, lines: [first, last]}}") from error
    if not 1 <= span.first <= span.last:
        raise UsageError(f"{where}: the lines {span.first} to {span.last} are no span")
    return span


def _strings(values: Sequence[object]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _is_above(upper: str, lower: str) -> bool:
    """Whether the article ``upper`` stands above ``lower``: C3.10 above C3.10.10, not C3.1 above C3.10."""
    return lower.startswith(f"{upper}.")
