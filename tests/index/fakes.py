"""An embedder whose vectors can be computed by hand, and regulations that are small JSON files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from pipelines.errors import DamagedFile
from pipelines.models.embedding import Embedder, ModelIdentity
from pipelines.schema import CharacterAccount, Clause, Document, Heading, Kind, LineBox, ReadResult, Reference, Status

TOPICS = ("pit", "fuel", "tyre", "penalty")


class TopicEmbedding(BaseEmbedding):
    """The vector of a text is how often it names each of four topics, and 0.1 to keep it from being zero."""

    calls: int = 0

    def _vector(self, text: str) -> list[float]:
        words = [word.strip(".,:;?“”\"'").lower() for word in text.split()]
        return [*(float(sum(word.startswith(topic) for word in words)) for topic in TOPICS), 0.1]

    def _get_text_embedding(self, text: str) -> list[float]:
        self.calls += 1
        return self._vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        self.calls += 1
        return self._vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def count_words(text: str) -> int:
    """As many tokens as words, and two special ones."""
    return len(text.split()) + 2


def topic_embedder(fingerprint: str = "topics-1", window: int = 40) -> Embedder:
    return Embedder(
        identity=ModelIdentity("topics", fingerprint),
        model=TopicEmbedding(),
        dimension=len(TOPICS) + 1,
        window=window,
        count=count_words,
    )


def write_regulation(
    folder: Path, section: str, issue: str, date: str, clauses: dict[str, str], name: str = ""
) -> Path:
    """A regulation as a JSON file; ``clauses`` maps an article (``C5.2~2028`` for a later year) to its text."""
    path = folder / (name or f"section_{section.lower()}_{issue}.txt")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"section": section, "issue": issue, "date": date, "clauses": clauses}), encoding="utf-8"
    )
    return path


def read_json(path: Path) -> ReadResult:
    """The reader of :func:`write_regulation` files.

    Raises:
        DamagedFile: the file is not JSON.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFile(f"{path.name} is damaged") from error
    document = Document(path.name, "", "regulation", data["section"], "", data["issue"], data["date"], "2026", 3)
    clauses = tuple(_clauses(document, data["clauses"]))
    characters = sum(len(clause.text) for clause in clauses)
    account = CharacterAccount(total=characters + 7, clauses=characters, dropped={"struck": 7})
    heading = Heading(f"{data['section']}1", "A HEADING", 1)
    return ReadResult(document, clauses, (heading,), account, warnings=("a warning",), seconds=0.01)


def make_clause(article: str = "B1.2.3", text: str = "A clause.", **changes: Any) -> Clause:
    """A clause with everything set that can be, but for what ``changes`` says."""
    section = article.removeprefix("APP ")[0]
    document = Document("b.pdf", "0" * 64, "regulation", section, "Sporting", "05", "2026-02-27", "2026", 96)
    fields: dict[str, Any] = {
        "id": f"2026.{section}.05/{article}",
        "document": document,
        "kind": Kind.CLAUSE,
        "article": article,
        "article_printed": article,
        "title": "",
        "text": text,
        "page_start": 4,
        "page_end": 5,
    }
    return Clause(**(fields | changes))


def full_clause() -> Clause:
    """A clause in which no field has its default."""
    return make_clause(
        "C14.6.3",
        "Inserted words.\n| a | b |\nC3.1 applies.",
        article_printed="C4.6.3",
        kind=Kind.DEFINITION,
        title="Title",
        status=Status.FUTURE,
        term="Term",
        year="2028",
        path=("C14 SAFETY", "C14.6 Seat"),
        ancestors=("C14", "C14.6"),
        lines=(LineBox(4, 1.25, 2.5, 3.75, 4.0, 0, 15), LineBox(5, 0.1, 0.2, 0.3, 0.4, 16, 25)),
        changed=True,
        inserted=((0, 8),),
        void=True,
        replaced_by="C15.1",
        references=(Reference("article", "C3.1", "C3.1", 26, 30),),
        comments=("a comment",),
        governance=("F1 Commission",),
        has_figure=True,
        tables=((16, 25),),
        file_lines=(3, 9),
    )


def _clauses(document: Document, clauses: dict[str, str]) -> Iterable[Clause]:
    for name, text in clauses.items():
        article, _, year = name.partition("~")
        numbers = article.split(".")
        ancestors = tuple(".".join(numbers[:depth]) for depth in range(1, len(numbers)))
        yield Clause(
            id=f"2026.{document.section}.{document.issue}/{name}",
            document=document,
            kind=Kind.CLAUSE,
            article=article,
            article_printed=article,
            title="",
            text="" if text == "VOID" else text,
            page_start=1,
            page_end=1,
            status=Status.FUTURE if year else Status.IN_FORCE,
            year=year,
            ancestors=ancestors,
            path=tuple(f"{ancestor} HEADING" for ancestor in ancestors),
            void=text == "VOID",
        )
