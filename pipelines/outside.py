"""Signs that a question is from outside the regulations: other series, past results, prices, persons, requests, names.

A sign decides nothing by itself: the refusal gate weighs it with everything else. Many questions that the regulations
answer carry one ("Who may appeal ...", "Would Mercedes' old steering be legal now?").
"""

from __future__ import annotations

import re
from collections.abc import Container

from pipelines.answer.words import WordStatistics, stems

SIGNS: dict[str, re.Pattern[str]] = {
    "another_series": re.compile(
        r"\b(?:formula (?:2|3|4|e|two|three|four|renault|student|ford)|f[234]|indy ?car|indianapolis|nascar|moto ?gp"
        r"|moto ?[23]|super ?bikes?|worldsbk|endurance championship|wec|le mans|rally(?:ing|cross)?|wrc|dtm|gt[234]"
        r"|super (?:formula|gt)|(?<!go-)kart(?:ing|s)|f1 academy|lmp\d|hypercars?)\b",
        re.IGNORECASE,
    ),
    "the_past": re.compile(
        r"\b(?:19\d\d|200\d|201\d|202[0-4])s?\b|\b(?:won|finished|happened|crashed|scored|last (?:year|season|time))\b"
        r"|\b(?:who|when|why|what|which|how)\b[^?]*\b(?:did|was|were)\b",
        re.IGNORECASE,
    ),
    "a_price": re.compile(
        r"\bprices?\b|\bhow much (?:is|are|does|do|would)\b.*\b(?:cost|worth|pay|paid|tickets?|seat)\b"
        r"|\b(?:buy|tickets?|subscription|salary|salaries|cheap\w*|expensive)\b",
        re.IGNORECASE,
    ),
    "who_or_where": re.compile(
        r"^\W*(?:who (?:is|are|was|were|owns?|won|wins?|designed|invented)|where|when (?:is|did|was|were))\b",
        re.IGNORECASE,
    ),
    "a_request": re.compile(
        r"^\W*(?:write|translate|tell|give|recommend|forget|ignore|pretend|hello|hi|sing|draw)\b|\bhow do i\b",
        re.IGNORECASE,
    ),
}
_NAME = re.compile(r"(?<=[\w,;:’'] )([A-Z][a-z]{2,}|[A-Z]{2,}[a-z]*|[A-Z][a-z]+[A-Z]\w*)\b")
_MOST_NAMES = 2


def signs(question: str) -> list[float]:
    """1 for each of :data:`SIGNS` that the question shows, else 0, in their order."""
    return [float(bool(pattern.search(question))) for pattern in SIGNS.values()]


def unknown_names(question: str, statistics: WordStatistics, explained: Container[str] = ()) -> float:
    """How many capitalized words inside the question stand in no clause and are not ``explained``, at most two."""
    found = [stems(name) for name in _NAME.findall(question)]
    known = (stemmed and (statistics.known(stemmed[0]) or stemmed[0] in explained) for stemmed in found)
    unknown = sum(1 for one in known if not one)
    return float(min(unknown, _MOST_NAMES))
