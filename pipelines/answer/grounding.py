"""Checks on what a language model wrote: each statement against the clauses it cites.

A reply is taken apart into statements as it arrives: a statement ends at its citation or at the end of its line; one
that starts with its citation, at the end of its line. It holds when every citation is to a passage that was given,
those clauses are law now (or what was asked for), and every number, unit and article id of the statement occurs in
them. Nor may it be about something else altogether, carry addresses or markup that the clauses have not, or repeat the
instructions that the model was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipelines.answer.prompts import INSTRUCTIONS
from pipelines.answer.quantities import unsupported
from pipelines.answer.verify import squeeze
from pipelines.answer.words import stems
from pipelines.schema import Clause, Passage, Status

MARKER = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_MARKERS_END = re.compile(r"(?:\s*\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\])+[.;,:)]*(?=\s)")
_MARKERS_FIRST = re.compile(r"\s*(?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\][.:,]?\s*)+")
_ITEM_NUMBER = re.compile(r"(?:[-*•]\s+)?\(?(\d{1,2})[.)]\s+(?=\S+\s+\S+)")
_QUOTED = re.compile(r"[“\"]([^”\"]{12,})[”\"]")
# What a reply may only have from the law itself: addresses, links and markup.
_FOREIGN = re.compile(r"https?://\S+|www\.\S+|!?\[[^\]]*\]\([^)]*\)|</?[a-zA-Z!][^>]*>|javascript:", re.IGNORECASE)
_SUPPORT = 0.34
"""A statement shares at least this part of its words with the clauses that it cites."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a reply: its text as written, the passages it cites (from 1), and what is wrong with it."""

    text: str
    cited: tuple[int, ...] = ()
    problems: tuple[str, ...] = ()
    separator: str = ""  # the white space before it

    @property
    def says_something(self) -> bool:
        """False for a line that only leads on: it ends in a colon and has no number, article id or citation."""
        bare = _bare(self.text).strip(" -*#•\t")
        leads_on = bare.endswith(":") and not self.cited and not unsupported(bare, "")
        return bool(bare) and not leads_on


def statements(pieces: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Statements of a reply as they are complete, each with the white space before it."""
    buffer = ""
    for piece in pieces:
        buffer += piece
        while (cut := _next_cut(buffer)) is not None:
            yield _parted(buffer[:cut])
            buffer = buffer[cut:]
    if buffer.strip():
        yield _parted(buffer)


def check(
    statement: str, given: Mapping[int, Passage], *, question: str = "", separator: str = "", year: str = ""
) -> Statement:
    """One statement with what is wrong with it; ``given`` are the passages the model saw, by their numbers.

    ``question`` is what was asked: repeating it tells nothing. ``year`` is the later year that was asked for, "" for
    the law in force.
    """
    numbers = [int(n) for group in MARKER.findall(statement) for n in re.findall(r"\d+", group)]
    cited = tuple(dict.fromkeys(n for n in numbers if n in given))
    unchecked = Statement(statement, cited, (), separator)
    if not unchecked.says_something:
        return unchecked
    problems = [f"[{n}] is no passage that was given" for n in dict.fromkeys(numbers) if n not in given]
    if not numbers:
        problems.append("no citation")
    clauses = [given[n].clause for n in cited]
    for clause in clauses:
        if clause.void:
            problems.append(f"{clause.article} is void")
        elif clause.status == Status.SUPERSEDED:
            problems.append(f"{clause.article} is of a superseded issue")
        elif clause.status == Status.FUTURE and not year:
            problems.append(f"{clause.article} is the text of {clause.year or 'a later year'}")
    law = " \n".join(" ".join((c.article, c.title, *c.path, c.term, c.text)) for c in clauses)
    claims = unsupported(_bare(statement), law)
    if not cited and claims:
        problems.append(f"nothing supports {', '.join(claims)}")
    if cited:
        problems += [f"{claim} is not in {_labels(clauses)}" for claim in claims]
        words = squeeze(law)
        problems += [f"“{q}” is no wording of {_labels(clauses)}" for q in quoted(statement) if squeeze(q) not in words]
        problems += [
            f"{m} is not in {_labels(clauses)}" for m in _FOREIGN.findall(statement) if squeeze(m) not in words
        ]
        if _shared(statement, law) < _SUPPORT:
            problems.append(f"it says little of what {_labels(clauses)} says")
    if _asks(statement, question):
        problems.append("it repeats the question")
    if _repeats_instructions(statement):
        problems.append("it repeats the model's instructions")
    return Statement(statement, cited, tuple(problems), separator)


class Items:
    """Turns the numbers that a model gives the lines of its own list into bullets: a number in an answer is the law's.

    Only 1, 2, 3 and so on, in that order, are taken for such numbers; any other is part of what is said.
    """

    def __init__(self) -> None:
        self._last = 0

    def bulleted(self, line: str) -> str:
        """The line with a bullet in place of its number, where that is the next of a list."""
        found = _ITEM_NUMBER.match(line)
        if found is None or int(found[1]) not in (1, self._last + 1):
            return line
        self._last = int(found[1])
        return f"- {line[found.end() :]}"


def quoted(statement: str) -> list[str]:
    """The runs of at least four words that a statement puts in quotation marks."""
    return [run for run in _QUOTED.findall(statement) if len(run.split()) >= 4]


def _shared(statement: str, law: str) -> float:
    """The part of a statement's words that the law has too; 1 where it has none that carry meaning."""
    said = set(stems(_bare(statement)))
    return len(said & set(stems(law))) / len(said) if said else 1.0


def _asks(statement: str, question: str) -> bool:
    """Whether a statement asks, or is the question itself."""
    said, asked = (re.findall(r"\w+", text.lower()) for text in (_bare(statement), question))
    return _bare(statement).rstrip(" .*”'\"").endswith("?") or said == asked


def _repeats_instructions(statement: str, run: int = 7) -> bool:
    """Whether ``run`` words in a row of the prompt stand in a statement."""
    words = re.findall(r"\w+", statement.lower())
    return any(" ".join(words[i : i + run]) in INSTRUCTIONS for i in range(len(words) - run + 1))


def _bare(statement: str) -> str:
    return MARKER.sub(" ", statement)


def _labels(clauses: Sequence[Clause]) -> str:
    return ", ".join(clause.label for clause in clauses)


def _next_cut(buffer: str) -> int | None:
    """Where the first whole statement of a buffer ends; None while it may still go on.

    Citations at the start of a line are those of what follows: they end nothing.
    """
    start = len(buffer) - len(buffer.lstrip())
    first = _MARKERS_FIRST.match(buffer, start)
    ends = [match.end() for match in [_MARKERS_END.search(buffer, first.end() if first else start)] if match]
    newline = buffer.find("\n", start)
    if newline >= 0:
        ends.append(newline)
    return min(ends) if ends else None


def _parted(text: str) -> tuple[str, str]:
    bare = text.lstrip()
    return text[: len(text) - len(bare)], bare.rstrip()
