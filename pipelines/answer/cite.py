"""Spans of clauses into citations that were checked, and checked spans into the text of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.answer.extractive import Extract
from pipelines.answer.pieces import MARKER, cells, is_rule
from pipelines.answer.verify import Verifier
from pipelines.schema import Citation, Clause, Status

MIN_WORDS = 4
"""A quote has at least so many words, unless the whole piece is shorter."""


Span = tuple[int, int]
"""A run of a clause's text: start and end offsets."""


@dataclass(frozen=True, slots=True)
class Cited:
    """An extract whose every run was looked up in its document: what was found, and what was not."""

    clause: Clause
    spans: tuple[Span, ...]
    citations: tuple[Citation, ...]
    unverified: tuple[Span, ...] = ()


class Citer:
    """Makes citations of runs of a clause and checks each against the clause's own file."""

    def __init__(self, verifier: Verifier) -> None:
        self.verifier = verifier

    def cite(self, extract: Extract) -> Cited:
        """Citations for the runs of an extract; neighbouring runs share one where it is found whole.

        A run that is not found on its page is left out of ``spans`` and listed in ``unverified``.
        """
        clause = extract.clause
        spans: list[Span] = []
        citations: list[Citation] = []
        unverified: list[Span] = []
        for group in _neighbours(clause, extract.spans):
            if _in_table(clause, group[0][0]):
                kept, made = self._rows(clause, group)
                spans += kept
                citations += made
                unverified += [span for span in group if span not in kept]
                continue
            made = self.citations(clause, group[0][0], group[-1][1])
            if all(citation.verified for citation in made):
                spans += group
                citations += made
                continue
            for start, end in group:
                made = self.citations(clause, start, end)
                if not all(citation.verified for citation in made):
                    made = self._around_marks(clause, start, end)
                if made:
                    spans.append((start, end))
                    citations += made
                else:
                    unverified.append((start, end))
        return Cited(clause, tuple(spans), tuple(citations), tuple(unverified))

    def citations(self, clause: Clause, start: int, end: int) -> list[Citation]:
        """One citation a page for ``clause.text[start:end]``, each checked."""
        parts = _by_page(clause, start, end)
        long = [part for part in parts if len(clause.text[part[1] : part[2]].split()) >= MIN_WORDS]
        return [self._citation(clause, page, clause.text[a:b].strip()) for page, a, b in long or parts[:1]]

    def _around_marks(self, clause: Clause, start: int, end: int) -> list[Citation]:
        """Citations for a run that marks of the editors part; none where it does not stand on its pages."""
        if clause.file_lines is not None or not clause.document.path:
            return []
        found: list[Citation] = []
        for page, a, b in _by_page(clause, start, end):
            runs = self.verifier.runs_around_marks(Path(clause.document.path), page, clause.text[a:b])
            if not runs:
                return []
            found += [self._citation(clause, page, run) for run in runs if len(run.split()) >= MIN_WORDS]
        return found

    def _rows(self, clause: Clause, group: Sequence[Span]) -> tuple[list[Span], list[Citation]]:
        """The rows of a table that are found cell by cell, and one citation a page for them.

        A header is shown but not quoted: where it stands in several rows the reader joins its cells. A cell that is
        only a sign is left out of the quote where its page has another character for it.
        """
        kept: list[Span] = []
        quotes: dict[int, list[str]] = {}
        for start, end in group:
            if is_rule(clause.text[start:end].rpartition("\n")[2]):
                kept.append((start, end))
                continue
            page = _by_page(clause, start, end)[0][0]
            row = self._without_foreign_signs(clause, page, clause.text[start:end])
            if self._citation(clause, page, row).verified:
                kept.append((start, end))
                quotes.setdefault(page, []).append(row)
        return kept, [self._citation(clause, page, "\n".join(rows)) for page, rows in quotes.items()]

    def _without_foreign_signs(self, clause: Clause, page: int, row: str) -> str:
        def shown(cell: str) -> str:
            if not cell or any(character.isalnum() for character in cell):
                return cell
            return cell if self._citation(clause, page, f"| {cell} |").verified else ""

        return "| " + " | ".join(shown(cell).replace("|", "\\|") for cell in cells(row)) + " |"

    def _citation(self, clause: Clause, page: int, quote: str) -> Citation:
        lines = clause.file_lines
        path = Path(clause.document.path)
        if not clause.document.path:
            verified = False
        elif lines is not None:
            verified = self.verifier.verify_lines(path, lines, quote)
        else:
            verified = self.verifier.verify_quote(path, page, quote)
        return Citation(
            clause_id=clause.id,
            article=clause.article,
            term=clause.term,
            section=clause.section,
            issue=clause.issue,
            date=clause.document.date,
            page=page,
            quote=quote,
            verified=verified,
            file=clause.document.file,
            lines=lines,
        )


def label(clause: Clause) -> str:
    """What stands in square brackets after words of a clause: its article, and the year where that is a later one."""
    return f"{clause.article}, {clause.year or 'later'}" if clause.status == Status.FUTURE else clause.article


def render(cited: Sequence[Cited]) -> str:
    """The text of an answer: each clause's runs in order, items and tables on lines of their own, then its article.

    What several clauses say in the same words is told once, with the articles of all. Where an answer comes back to a
    clause, an ellipsis says so.
    """
    articles: dict[str, list[str]] = {}
    told: set[str] = set()
    for one in cited:
        if body := _body(one):
            body = f"… {body}" if one.clause.id in told else body
            told.add(one.clause.id)
            articles.setdefault(body, []).append(f"[{label(one.clause)}]")
    return "\n\n".join(body + "".join(dict.fromkeys(labels)) for body, labels in articles.items())


def _body(cited: Cited) -> str:
    """One clause's runs and the space before its article; an ellipsis stands where words between were left out."""
    text = cited.clause.text
    parts: list[str] = []
    previous: Span | None = None
    for start, end in cited.spans:
        gap = text[previous[1] : start] if previous else ""
        if previous is None:
            joint = ""
        elif _in_table(cited.clause, start) or _in_table(cited.clause, previous[0]):
            both = _in_table(cited.clause, start) and _in_table(cited.clause, previous[0])
            joint = "\n" if both else "\n\n"
        else:
            line = "\n" if "\n" in gap or MARKER.match(text, start) else " "
            joint = f" …{line}" if gap.strip() else line
        parts += [joint, text[start:end]]
        previous = (start, end)
    if previous is None:
        return ""
    return "".join(parts) + ("\n\n" if _in_table(cited.clause, previous[0]) else " ")


def _neighbours(clause: Clause, spans: Sequence[Span]) -> list[list[Span]]:
    """Spans grouped so that nothing but white space stands between the members of a group; a table is its own."""
    groups: list[list[Span]] = []
    for span in spans:
        if groups:
            last = groups[-1][-1]
            same_kind = _in_table(clause, last[0]) == _in_table(clause, span[0])
            if same_kind and not clause.text[last[1] : span[0]].strip():
                groups[-1].append(span)
                continue
        groups.append([span])
    return groups


def _in_table(clause: Clause, offset: int) -> bool:
    return any(start <= offset < end for start, end in clause.tables)


def _by_page(clause: Clause, start: int, end: int) -> list[tuple[int, int, int]]:
    """The run ``start`` to ``end`` of a clause as (page, start, end), one a page, in page order."""
    spans: dict[int, Span] = {}
    for line in clause.lines:
        first, last = max(line.start, start), min(line.end, end)
        if first >= last or is_rule(clause.text[first:last]):
            continue
        a, b = spans.get(line.page, (first, last))
        spans[line.page] = (min(a, first), max(b, last))
    if len(spans) <= 1:
        return [(next(iter(spans), clause.page_start), start, end)]
    return [(page, *spans[page]) for page in sorted(spans)]
