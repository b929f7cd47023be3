"""Words as answering compares them: stems, how rare each is, and what kind of answer a question wants."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import snowballstemmer

_TOKEN = re.compile(r"[€$£]?\d[\d,.]*\d|\d|[^\W\d_][\w]*(?:[-’'.][^\W_]\w*)*|[°%€$£]")
_SMALL = frozenset(
    """a an and are as at be been being but by can could did do does for from had has have how if in into is it its
    may might must of on or shall should so than that the their them then there these they this those to was were what
    when where which who whom whose why will with would you your i we us our me my about also any please tell show
    give say does ever get gets got just not no he she his her him am up out over under between during per each
    much many long often allowed allow permitted happen happens rule rules regulation regulations article f1 formula
    need needs needed let lets actually exactly want know thing things going go goes say says said""".split()
)
_STEMMER = snowballstemmer.stemmer("english")

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "half": "0.5", "once": "1", "twice": "2", "single": "1", "double": "2",
    "both": "2", "first": "1", "second": "2", "third": "3",
}  # fmt: skip


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of one word, in lower case; an id or a number (anything with a digit) is kept whole."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    if any(character.isdigit() for character in word):
        return word.replace(",", "")
    return str(_STEMMER.stemWord(word))


def words(text: str) -> list[str]:
    """The words of a text as printed: a hyphened compound, an id or a number is one word."""
    return _TOKEN.findall(text)


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning, in order; a hyphened compound gives itself and its parts."""
    found: list[str] = []
    for word in words(text):
        if word.lower() in _SMALL:
            continue
        found.append(stem(word))
        if "-" in word:
            found.extend(stem(part) for part in word.split("-") if part and part.lower() not in _SMALL)
    return tuple(found)


class WordStatistics:
    """How rare a stem is over the clauses of the corpus."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        total = 0
        for text in texts:
            total += 1
            counts.update(set(stems.__wrapped__(text)))
        self.total = total
        self._counts = counts

    def known(self, stemmed: str) -> bool:
        """Whether any clause contains the stem."""
        return stemmed in self._counts

    def idf(self, stemmed: str) -> float:
        """The inverse document frequency (natural logarithm, above 0); a stem of no clause counts as the rarest."""
        seen = self._counts.get(stemmed, 0)
        return math.log(1.0 + (self.total - seen + 0.5) / (seen + 0.5))
