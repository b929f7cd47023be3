"""Every indexed clause in memory, to be looked up by id, article or term, and the words they are written in."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pipelines.bm25 import fold, stem
from pipelines.schema import Clause, Filters, Kind, Status

ALL = "all"
_WORD = re.compile(r"[a-z]{3,}")
_TYPO = 1
"""How many letters a misspelling is off by."""
_VOLUME = re.compile(r"\bRV-[A-Z0-9]+(?:-[A-Z0-9]+)*\b")
_POINTS = re.compile(r"\bha(?:s|ve) the meanings?\b", re.IGNORECASE)
_POINTER_WORDS = 35
"""A longer definition says something itself."""
_NAMES_PLACE = re.compile(
    r"\b(?:defined|described|set out|set forth|specified|given)\b.{0,60}\b(?:Articles?|Appendix|Section|ISC)\b",
    re.IGNORECASE | re.DOTALL,
)
_PLACE_WORDS = 20


class Library:
    """The clauses of an index. Look-ups give them in the order they came in: the index's reading order."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = tuple(clauses)
        self.by_id = {clause.id: clause for clause in self.clauses}
        self._by_article: dict[str, list[Clause]] = defaultdict(list)
        self._below: dict[str, list[Clause]] = defaultdict(list)
        self._by_term: dict[str, list[Clause]] = defaultdict(list)
        self._by_volume: dict[str, list[Clause]] = defaultdict(list)
        self._words: Counter[str] = Counter()
        for clause in self.clauses:
            for article in {key(clause.article), key(clause.article_printed)}:
                self._by_article[article].append(clause)
            for ancestor in clause.ancestors:
                self._below[key(ancestor)].append(clause)
            if clause.term:
                self._by_term[term_key(clause.term)].append(clause)
            for volume in dict.fromkeys(_VOLUME.findall(f"{clause.term} {clause.title}")):
                self._by_volume[volume].append(clause)
            self._words.update(_WORD.findall(fold(f"{clause.title} {clause.term} {clause.text}")))
        self._stems = frozenset(stem(word) for word in self._words)
        self.terms = frozenset(self._by_term)

    def article(self, article: str, filters: Filters | None = None) -> tuple[Clause, ...]:
        """The clauses of an article, named by its mended or printed id, and of everything below it."""
        own, below = self._by_article.get(key(article), []), self._below.get(key(article), [])
        return self.within(dict.fromkeys((*own, *below)), filters)

    def exactly(self, article: str, filters: Filters | None = None) -> tuple[Clause, ...]:
        """The clauses that carry this very id, mended or printed."""
        return self.within(self._by_article.get(key(article), []), filters)

    def has_article(self, article: str) -> bool:
        """Whether the id is that of a clause, or of something above one."""
        return key(article) in self._by_article or key(article) in self._below

    def term(self, term: str, filters: Filters | None = None) -> tuple[Clause, ...]:
        """The clauses that define a term."""
        return self.within(self._by_term.get(term_key(term), []), filters)

    def volume(self, name: str, filters: Filters | None = None) -> tuple[Clause, ...]:
        """The clauses that a volume's name heads: those whose title or term it stands in."""
        return self.within(self._by_volume.get(name.upper(), []), filters)

    def has_word(self, word: str) -> bool:
        """Whether a word, lower case and without accents, occurs in the clauses in any of its forms."""
        return word in self._words or stem(word) in self._stems

    def closest_word(self, word: str) -> str:
        """The commonest word of the clauses that is one misspelling away and begins alike, "" where there is none."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        close = process.extract(word, self._words.keys(), scorer=OSA.distance, score_cutoff=_TYPO, limit=None)
        alike = [found for found, *_ in close if found[0] == word[0] or found[:2] == word[1::-1]]
        return max(alike, key=lambda found: self._words[found], default="")

    def within(self, clauses: Iterable[Clause], filters: Filters | None = None) -> tuple[Clause, ...]:
        """The clauses that the filters let through."""
        wanted = filters or Filters(status=ALL)
        return tuple(clause for clause in clauses if matches(clause, wanted))


def matches(clause: Clause, filters: Filters) -> bool:
    """Whether the filters let a clause through. The same decision that the index takes for its points."""
    document = clause.document
    return (
        filters.status in (ALL, clause.status)
        and filters.section in ("", document.section)
        and filters.issue in ("", document.issue)
        and filters.document in ("", document.file)
        and filters.article in ("", clause.article, clause.article_printed, *clause.ancestors)
    )


def only_points(clause: Clause) -> bool:
    """Whether a definition says no more than that its term has the meaning set out elsewhere."""
    if clause.kind != Kind.DEFINITION:
        return False
    words = len(clause.text.split())
    points = words <= _POINTER_WORDS and _POINTS.search(clause.text)
    return bool(points or (words <= _PLACE_WORDS and _NAMES_PLACE.search(clause.text)))


def key(article: str) -> str:
    """An article id as it is looked up: upper case, without spaces or a full stop at the end."""
    return re.sub(r"\s+", "", article).upper().rstrip(".")


def term_key(term: str) -> str:
    """A defined term as it is looked up: lower case, plain quotes, single spaces."""
    return " ".join(re.sub(r"[“”\"’']", "", term).lower().split())


def is_in_force(clause: Clause) -> bool:
    """Whether a clause is law now."""
    return clause.status == Status.IN_FORCE
