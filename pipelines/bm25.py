"""BM25 as sparse vectors: the words of a text, their weights in a document, and in a question.

A document's value for a word is BM25's saturated and length-normalised frequency; a question's is its count. The
inverse document frequency comes from Qdrant (``Modifier.IDF``), so it follows the index as documents come and go.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

K1 = 0.8
B = 0.75
"""Chosen on training questions, from 0.8 to 2.0 and 0.3 to 0.75."""
EXPANSION_WEIGHT = 0.5
"""What a word weighs that the glossary adds to a question; chosen on training questions, from 0.3 to 1."""
AVERAGE_WORDS = 60.0
"""Mean length, in words, of a node of the 2026 regulations; fixed, so that adding a document moves no stored weight."""

_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing down during each for from further had has have having he her here hers him his how i if in into
is it its itself just me more most my no nor not of off on once only or other our out over own s same she should so some
such t than that the their them then there these they this those through to too under until up us very was we were what
when where which while who whom why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_TOKEN = re.compile(r"[^\W_]+(?:[.\-/'][^\W_]+)*")
_JOINTS = re.compile(r"[.\-/]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ARTICLE = re.compile(r"[a-f]\d+(?:\.\d+)+|\d+(?:\.\d+){2,}")
_DECIMAL = re.compile(r"\d+\.\d+")
_NUMBER_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-zµ°]+\d?)")


def words(text: str) -> list[str]:
    """The index words of a text, in order, stemmed and without stop words.

    A joined word is kept whole and also gives its parts: ``RV-FLOOR-BODY`` the words of the name, ``C3.10.10`` its
    ancestors C3 and C3.10, ``350kW`` the number and the unit.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(_THOUSANDS.sub("", fold(text))):
        found.extend(_word_and_parts(match.group()))
    return found


def fold(text: str) -> str:
    """A text in lower case, without accents and with plain apostrophes: parc fermé is parc ferme."""
    decomposed = unicodedata.normalize("NFKD", text.lower().replace("’", "'"))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@lru_cache(maxsize=65536)
def _word_and_parts(token: str) -> tuple[str, ...]:
    token = token.removesuffix("'s").replace("'", "")
    if _ARTICLE.fullmatch(token):
        numbers = token.split(".")
        return tuple(".".join(numbers[: depth + 1]) for depth in range(len(numbers)))
    unit = _NUMBER_UNIT.fullmatch(token)
    if unit:
        return (token, *unit.groups())
    if _JOINTS.search(token) and not _DECIMAL.fullmatch(token):
        parts = [part for part in _JOINTS.split(token) if part and part not in STOP_WORDS]
        return (token, *(stem(part) for part in parts))
    return () if token in STOP_WORDS else (stem(token),)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball stem of a lower-case English word; a word with a digit is its own stem."""
    if any(character.isdigit() for character in word):
        return word
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def word_id(word: str) -> int:
    """The sparse index of a word, in 0 to 2^32 - 1: a hash, so no vocabulary has to be kept."""
    return zlib.crc32(word.encode())


def document_vector(text: str) -> dict[int, float]:
    """A document's BM25 weights by word id, in ascending order of id."""
    counts = Counter(words(text))
    length = sum(counts.values())
    norm = K1 * (1 - B + B * length / AVERAGE_WORDS)
    weights: dict[int, float] = {}
    for word, count in counts.items():
        key = word_id(word)
        weights[key] = max(weights.get(key, 0.0), count * (K1 + 1) / (count + norm))
    return dict(sorted(weights.items()))


def query_vector(text: str, expansions: Sequence[str] = ()) -> dict[int, float]:
    """A question's word counts by word id, in ascending order of id; empty when only stop words are left.

    Words of ``expansions`` that the question lacks weigh :data:`EXPANSION_WEIGHT`.
    """
    counts = Counter(words(text))
    weights = {word_id(word): float(count) for word, count in counts.items()}
    for word in words(" ".join(expansions)):
        weights.setdefault(word_id(word), EXPANSION_WEIGHT)
    return dict(sorted(weights.items()))
