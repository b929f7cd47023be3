"""What is fitted on: the passages of the corpus and the training questions with the passages that answer them."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pipelines.cut import Count
from pipelines.errors import ReadError
from pipelines.index_text import is_searchable
from pipelines.nodes import ClauseCutter, to_node
from pipelines.read_all import Unread, read_all
from pipelines.schema import Clause, Status


@dataclass(frozen=True, slots=True)
class Passage:
    """One indexed piece of a clause: its article and what stands above it, its section, its term and its index text."""

    article: str
    printed: str
    ancestors: tuple[str, ...]
    section: str
    term: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A training question and the article that answers it."""

    text: str
    article: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """All passages, the questions that have an answer among them, and the passages of each article."""

    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]
    by_article: dict[str, tuple[int, ...]]
    unplaced: tuple[Question, ...]

    def answers(self, question: Question) -> tuple[int, ...]:
        """The passages (indices) of the article that answers ``question``."""
        return self.by_article[question.article]


def load_passages(path: Path) -> list[Passage]:
    """Read passages from JSONL with the keys of :class:`Passage`."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Passage(**{**row, "ancestors": tuple(row["ancestors"])}) for row in rows]


def read_passages(folder: Path, count: Count, window: int) -> list[Passage]:
    """Read every PDF of ``folder`` and cut its clauses in force as the index does.

    Args:
        folder: the regulations' PDFs.
        count: a text's tokens, special ones included.
        window: the most tokens of a passage.

    Raises:
        ReadError: a file cannot be read.
    """
    passages: list[Passage] = []
    for file, result in sorted(read_all(sorted(folder.glob("*.pdf"))), key=lambda found: found[0]):
        if isinstance(result, Unread):
            raise ReadError(f"{file.name}: {result.message}")
        passages += passages_of(result.clauses, count, window)
    return passages


def passages_of(clauses: Iterable[Clause], count: Count, window: int) -> list[Passage]:
    """The passages of clauses in force, as the index cuts them and with its text."""
    chosen = {clause.id: clause for clause in clauses if clause.status is Status.IN_FORCE and is_searchable(clause)}
    cutter = ClauseCutter(clauses=chosen, count=count, window=window)
    whole = [to_node(clause, "", 0, clause.text) for clause in chosen.values()]
    return [_passage(chosen[node.metadata["clause_id"]], node.get_content()) for node in cutter(whole)]


def _passage(clause: Clause, text: str) -> Passage:
    return Passage(clause.article, clause.article_printed, clause.ancestors, clause.section, clause.term, text)


def save_passages(passages: Iterable[Passage], path: Path) -> None:
    """Write passages as JSONL for :func:`load_passages`."""
    lines = (json.dumps(asdict(passage), ensure_ascii=False) + "\n" for passage in passages)
    path.write_text("".join(lines), encoding="utf-8")


def load_questions(path: Path) -> list[Question]:
    """Read ``{q, a}`` lines."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Question(row["q"], row["a"]) for row in rows]


def build_corpus(passages: Sequence[Passage], questions: Sequence[Question]) -> Corpus:
    """Join questions and passages by article, mended or printed; questions without a passage are told apart.

    An article that has no words of its own, but clauses below it, is answered by one of those.
    """
    by_article: dict[str, list[int]] = defaultdict(list)
    below: dict[str, list[int]] = defaultdict(list)
    for index, passage in enumerate(passages):
        for name in dict.fromkeys((passage.article, passage.printed)):
            by_article[name].append(index)
        for name in passage.ancestors:
            below[name].append(index)
    by_article |= {name: rows for name, rows in below.items() if name not in by_article}
    placed = tuple(q for q in questions if q.article in by_article)
    unplaced = tuple(q for q in questions if q.article not in by_article)
    return Corpus(tuple(passages), placed, {name: tuple(rows) for name, rows in by_article.items()}, unplaced)


def is_dev(article: str) -> bool:
    """True for the tenth of the articles that is held out: a stable hash of the article decides."""
    return int.from_bytes(hashlib.sha256(article.encode()).digest()[:4]) % 10 == 0


def section_of(article: str) -> str:
    """The section letter of an article or appendix id."""
    return article.removeprefix("APP ")[:1]


def split(questions: Sequence[Question], without: str = "") -> tuple[list[Question], list[Question]]:
    """Training and development questions.

    With ``without`` no question of that section is trained on, and all of them are the development questions: text
    whose kind was never seen.
    """
    if without:
        outside = [q for q in questions if section_of(q.article) != without and not is_dev(q.article)]
        return outside, [q for q in questions if section_of(q.article) == without]
    return [q for q in questions if not is_dev(q.article)], [q for q in questions if is_dev(q.article)]
