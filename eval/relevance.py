"""Relevance by wording, for systems that know no clause ids: chunks of pages, other people's retrievers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from eval.gold import APPENDIX, GoldQuestion
from eval.metrics import tells_all
from pipelines.schema import Clause, Status

GRAM = 4
SHARE = 0.5
_WORD = re.compile(r"\w+")

Grams = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A gold article and the wording of one clause that answers it."""

    article: str
    grams: Grams


class TextRelevance:
    """Judges passages by their words against the clauses of an index.

    A passage answers a gold article where half of its word 4-grams stand in a clause that answers it, or half of the
    clause's stand in the passage. For an ``APP`` article, an appendix of many definitions, one of the required strings
    has to stand in the passage too.
    """

    def __init__(self, clauses: Iterable[Clause]) -> None:
        """``clauses`` are those of the index, of every status."""
        self._clauses = tuple(clause for clause in clauses if clause.text.strip())
        self._wanted: dict[str, tuple[_Wanted, ...]] = {}

    def answers(self, question: GoldQuestion, text: str) -> frozenset[str]:
        """The gold articles that a passage of this text answers."""
        own = grams(text)
        return frozenset(
            wanted.article
            for wanted in self._wanted_by(question)
            if overlaps(own, wanted.grams)
            and (
                not wanted.article.startswith(APPENDIX)
                or any(tells_all((string,), (text,)) for string in question.must_include)
            )
        )

    def _wanted_by(self, question: GoldQuestion) -> tuple[_Wanted, ...]:
        """The wordings that answer; those in force where there are any."""
        if question.id not in self._wanted:
            pairs = [(clause, question.answered_by(clause)) for clause in self._clauses]
            answering = [(clause, articles) for clause, articles in pairs if articles]
            in_force = [pair for pair in answering if pair[0].status == Status.IN_FORCE]
            self._wanted[question.id] = tuple(
                _Wanted(article, grams(clause.text))
                for clause, articles in in_force or answering
                for article in sorted(articles)
            )
        return self._wanted[question.id]


def grams(text: str) -> Grams:
    """The word 4-grams of a text, case and punctuation apart; a text of fewer words is one gram."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    size = min(GRAM, len(words))
    return frozenset(tuple(words[start : start + size]) for start in range(len(words) - size + 1)) if words else Grams()


def overlaps(one: Grams, other: Grams) -> bool:
    """Whether half of the grams of either stand in the other."""
    shared = len(one & other)
    return bool(shared) and (shared >= SHARE * len(one) or shared >= SHARE * len(other))
