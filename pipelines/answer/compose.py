"""Checked runs and checked statements put together as the text and citations of an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.answer.cite import Citer, label, render
from pipelines.answer.extractive import Extract, Limits, extract
from pipelines.answer.fuller import answering
from pipelines.answer.grounding import MARKER, Statement
from pipelines.answer.pieces import pieces
from pipelines.answer.ports import PieceScorer
from pipelines.answer.words import WordStatistics
from pipelines.change import MARK, SHOWN_CLAUSES, changed, changed_spans, marked
from pipelines.schema import Citation, Clause, Passage, SearchResult, Understood

UNVERIFIED = "(unverified)"
_SUPPORT = Limits(words=45, words_list=45, clauses=1)


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of an answer, its citations, and what was left out. An empty text says that nothing could be checked."""

    text: str
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...] = ()


def extractive(
    result: SearchResult,
    statistics: WordStatistics,
    citer: Citer,
    scorer: PieceScorer | None = None,
    *,
    mark: bool = False,
) -> Draft:
    """The extractive answer. A run that is not found on its page is left out, or kept and marked with ``mark``."""
    cited = [citer.cite(one) for one in answering(result, statistics, scorer)]
    warnings = []
    for one in cited:
        if one.unverified:
            fate = "is marked" if mark else "was left out"
            warnings.append(f"{one.clause.label}: wording that could not be found again in its file {fate}")
    text = render(cited)
    if mark:
        lost = [
            f"{one.clause.text[a:b]} {UNVERIFIED} [{label(one.clause)}]" for one in cited for a, b in one.unverified
        ]
        text = "\n\n".join(part for part in (text, *lost) if part)
    citations = tuple(dict.fromkeys(c for one in cited for c in one.citations if c.verified))
    return Draft(text, citations, tuple(warnings))


def changes(result: SearchResult, citer: Citer) -> Draft:
    """What this issue changed among the clauses found: their changed pieces, inserted words between marks.

    Where none of them is changed the answer says so, with the first clause as it stands; without clauses it is empty.
    """
    clauses = [p.clause for p in result.passages if not p.clause.void and p.clause.text.strip()]
    touched = changed(clauses)
    if not touched:
        return _unchanged(clauses, citer)
    shown: list[str] = []
    citations: list[Citation] = []
    for clause in touched[:SHOWN_CLAUSES]:
        cited = citer.cite(Extract(clause, tuple(changed_spans(clause)), 1.0))
        if not cited.spans:
            continue
        body = "\n".join(marked(clause, start, end) for start, end in cited.spans)
        shown.append(f"{body} [{label(clause)}]")
        citations += cited.citations
    if not shown:
        return Draft("", ())
    issues = ", ".join(dict.fromkeys(_issue(clause) for clause in touched))
    noun = "clause is" if len(touched) == 1 else "clauses are"
    head = f"{len(touched)} {noun} marked as changed in {issues}; inserted words stand between {MARK}."
    rest = touched[SHOWN_CLAUSES:]
    tail = ["Also changed: " + ", ".join(clause.label for clause in rest) + "."] if rest else []
    return Draft("\n\n".join([head, *shown, *tail]), tuple(citations))


def _unchanged(clauses: Sequence[Clause], citer: Citer) -> Draft:
    if not clauses:
        return Draft("", ())
    first = clauses[0]
    cited = citer.cite(Extract(first, tuple((p.start, p.end) for p in pieces(first)[:1]), 1.0))
    names = ", ".join(clause.label for clause in clauses[:SHOWN_CLAUSES])
    head = f"Nothing is marked as changed in {_issue(first)} in what was found ({names}). As it stands:"
    return Draft(f"{head}\n\n{render([cited])}", cited.citations) if cited.spans else Draft("", ())


def _issue(clause: Clause) -> str:
    document = clause.document
    return f"Section {document.section} issue {document.issue} of {document.date}"


class Written:
    """Collects a language model's statements: those that hold become text, with quotes that support them."""

    def __init__(
        self, passages: Sequence[Passage], statistics: WordStatistics, citer: Citer, *, mark: bool = False
    ) -> None:
        self._passages = passages
        self._statistics = statistics
        self._citer = citer
        self._mark = mark
        self._held = ""  # a heading or lead-in that waits for a statement that holds
        self._text = ""
        self._citations: dict[tuple[str, str], Citation] = {}
        self._warnings: list[str] = []

    def add(self, statement: Statement) -> str:
        """The text that a statement adds to the answer; "" where it adds none."""
        separator = statement.separator if self._text or self._held else ""
        shown = MARKER.sub(self._labels, statement.text)
        if not statement.says_something:
            self._held += separator + shown
            return ""
        problems = list(statement.problems)
        citations = [] if problems else self._support(statement)
        if not problems and not citations:
            problems.append("no wording of its source could be found again in the file")
        if problems:
            self._warnings.append(f"“{_short(statement.text)}”: {'; '.join(problems)}")
            if not self._mark:
                return ""
            shown = f"{shown} {UNVERIFIED}"
        for citation in citations:
            self._citations.setdefault((citation.clause_id, citation.quote), citation)
        piece = self._held + separator + shown
        self._held = ""
        self._text += piece
        return piece

    @property
    def draft(self) -> Draft:
        """What there is so far."""
        return Draft(self._text, tuple(self._citations.values()), tuple(self._warnings))

    def _labels(self, marker: re.Match[str]) -> str:
        numbers = [int(n) for n in re.findall(r"\d+", marker.group(1))]
        known = [label(self._passages[n - 1].clause) for n in numbers if 1 <= n <= len(self._passages)]
        return "".join(f"[{name}]" for name in dict.fromkeys(known))

    def _support(self, statement: Statement) -> list[Citation]:
        """Verified quotes of the cited clauses that bear on the statement."""
        found = []
        claim = MARKER.sub("", statement.text)
        for number in statement.cited:
            passage = self._passages[number - 1]
            alone = SearchResult(claim, Understood(claim), (passage,), {})
            for one in extract(alone, self._statistics, limits=_SUPPORT):
                found += [citation for citation in self._citer.cite(one).citations if citation.verified]
        return found


def _short(text: str, limit: int = 80) -> str:
    bare = " ".join(text.split())
    return bare if len(bare) <= limit else bare[: limit - 1] + "…"
