"""Checks on what a language model wrote: each statement against the clauses it cites.

A reply is taken apart into statements as it arrives: a statement ends at its citation or at the end of its line. It
holds when every citation is to a passage that was given, those clauses are law now (or what was asked for), and every
number, unit and article id of the statement occurs in them. Nor may it be about something else altogether, carry
addresses or markup that the clauses have not, or repeat the instructions that the model was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipelines.answer.prompts import INSTRUCTIONS
from pipelines.answer.verify import squeeze
from pipelines.answer.words import NUMBER_WORDS, stems
from pipelines.schema import Clause, Passage, Status

MARKER = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_MARKERS_END = re.compile(r"(?:\s*\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\])+[.;,:)]*(?=\s)")
_ID = re.compile(r"\b[A-F]\d{1,2}(?:\.\d{1,2})+(?:\([a-z]+\))*|\b[A-F]\d{1,2}\b(?!\.\d)")
_NUMBER = re.compile(r"(?<![\w.])[-+±]?(?:\d{1,3}(?:[, ]\d{3})+|\d+)(?:\.\d+)?(?![\d])")
_UNIT = re.compile(
    r"\s?(%|°C?|km/h|kph|mph|kg/h|kg|g|mm|cm|m|km|kW|MW|MJ|kJ|kPa|bar|V|A|Hz|kHz|rpm|cc|Nm|N|l|ms|s|seconds?|minutes?|"
    r"hours?|days?|weeks?|months?|years?|laps?|points?|litres?|degrees?|euros?|dollars?)\b(?!\w)"
)
_WORD_NUMBER = re.compile(r"\b(" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True)) + r")\b", re.IGNORECASE)
_VAGUE = frozenset({"first", "second", "once", "single", "both", "one", "half", "double", "third", "zero", "twice"})
_QUOTED = re.compile(r"[“\"]([^”\"]{12,})[”\"]")
# What a reply may only have from the law itself: addresses, links and markup.
_FOREIGN = re.compile(r"https?://\S+|www\.\S+|!?\[[^\]]*\]\([^)]*\)|</?[a-zA-Z!][^>]*>|javascript:", re.IGNORECASE)
_SUPPORT = 0.34
"""A statement shares at least this part of its words with the clauses that it cites."""
_SAME_UNIT = {
    "kph": "km/h", "second": "s", "seconds": "s", "degree": "°", "degrees": "°", "euro": "€", "euros": "€",
    "dollar": "$", "dollars": "$", "litre": "l", "litres": "l",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a reply: its text as written, the passages it cites (from 1), and what is wrong with it."""

    text: str
    cited: tuple[int, ...] = ()
    problems: tuple[str, ...] = ()
    separator: str = ""  # the white space before it

    @property
    def says_something(self) -> bool:
        """False for a line that only leads on, such as a heading."""
        bare = MARKER.sub("", self.text).strip(" -*#•\t")
        return bool(bare) and not (bare.endswith(":") and not self.cited)


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


def check(statement: str, given: Mapping[int, Passage], *, separator: str = "", year: str = "") -> Statement:
    """One statement with what is wrong with it; ``given`` are the passages the model saw, by their numbers.

    ``year`` is the later year that was asked for, "" for the law in force.
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
    if cited:
        law = " \n".join(" ".join((c.article, c.title, *c.path, c.term, c.text)) for c in clauses)
        problems += [f"{claim} is not in {_labels(clauses)}" for claim in unsupported(statement, law)]
        words = squeeze(law)
        problems += [f"“{q}” is no wording of {_labels(clauses)}" for q in quoted(statement) if squeeze(q) not in words]
        problems += [
            f"{m} is not in {_labels(clauses)}" for m in _FOREIGN.findall(statement) if squeeze(m) not in words
        ]
        if _shared(statement, law) < _SUPPORT:
            problems.append(f"it says little of what {_labels(clauses)} says")
    if _repeats_instructions(statement):
        problems.append("it repeats the model's instructions")
    return Statement(statement, cited, tuple(problems), separator)


def unsupported(statement: str, law: str) -> tuple[str, ...]:
    """The numbers with their units and the article ids of a statement that do not occur in ``law``."""
    bare = MARKER.sub(" ", statement)
    missing = []
    known_ids = {match.upper() for match in _ID.findall(law)}
    for match in _ID.finditer(bare):
        wanted = match.group().upper()
        if wanted not in known_ids and not any(known.startswith((wanted + ".", wanted + "(")) for known in known_ids):
            missing.append(match.group())
    bare, law = _ID.sub(" ", bare), _ID.sub(" ", law)
    in_law = _quantities(law)
    values = {value for value, _ in in_law}
    for value, unit in sorted(_quantities(bare, vague=False)):
        if value not in values:
            missing.append(f"{value} {unit}".strip())
        elif unit and (value, unit) not in in_law and any(u for v, u in in_law if v == value):
            missing.append(f"{value} {unit}")
    return tuple(dict.fromkeys(missing))


def quoted(statement: str) -> list[str]:
    """The runs of at least four words that a statement puts in quotation marks."""
    return [run for run in _QUOTED.findall(statement) if len(run.split()) >= 4]


def _shared(statement: str, law: str) -> float:
    """The part of a statement's words that the law has too; 1 where it has none that carry meaning."""
    said = set(stems(MARKER.sub(" ", statement)))
    return len(said & set(stems(law))) / len(said) if said else 1.0


def _repeats_instructions(statement: str, run: int = 7) -> bool:
    """Whether ``run`` words in a row of the prompt stand in a statement."""
    words = re.findall(r"\w+", statement.lower())
    return any(" ".join(words[i : i + run]) in INSTRUCTIONS for i in range(len(words) - run + 1))


def _quantities(text: str, *, vague: bool = True) -> set[tuple[str, str]]:
    """Numbers of a text with their units, both in one spelling; without ``vague``, "first", "one" and the like not."""
    found = set()
    for match in _NUMBER.finditer(text):
        unit = _UNIT.match(text, match.end())
        before = text[max(0, match.start() - 1) : match.start()]
        name = before if before in "€$£" and before else (unit.group(1) if unit else "")
        value = re.sub(r"[, ]", "", match.group().lstrip("+-±"))
        value = value.rstrip("0").rstrip(".") if "." in value else value
        found.add((value.lstrip("0") or "0", _unit(name)))
    for match in _WORD_NUMBER.finditer(text):
        if vague or match.group().lower() not in _VAGUE:
            unit = _UNIT.match(text, match.end())
            found.add((NUMBER_WORDS[match.group().lower()], _unit(unit.group(1) if unit else "")))
    return found


def _unit(name: str) -> str:
    name = _SAME_UNIT.get(name.lower(), name)
    return name.removesuffix("s") if len(name) > 2 else name


def _labels(clauses: Sequence[Clause]) -> str:
    return ", ".join(clause.label for clause in clauses)


def _next_cut(buffer: str) -> int | None:
    """Where the first whole statement of a buffer ends; None while it may still go on."""
    start = len(buffer) - len(buffer.lstrip())
    ends = [match.end() for match in [_MARKERS_END.search(buffer, start)] if match]
    newline = buffer.find("\n", start)
    if newline >= 0:
        ends.append(newline)
    return min(ends) if ends else None


def _parted(text: str) -> tuple[str, str]:
    bare = text.lstrip()
    return text[: len(text) - len(bare)], bare.rstrip()
