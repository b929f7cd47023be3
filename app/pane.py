"""What the pane beside the chat asks the server for: clauses, page pictures, PDFs, the tree, look-ups and thumbs.

Only what is indexed is ever served: a document is named by its hash, never by a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, Field

from app import render, render_card
from app.catalogue import Catalogue, CatalogueKeeper
from app.examples import examples
from app.pages import PageImages, marks
from app.runtime import Runtime
from pipelines.errors import ReadError
from pipelines.questionlog import QuestionLog
from pipelines.schema import Clause, Document, Filters

FOREVER = "private, max-age=31536000, immutable"  # a page is named by its document's hash: it never changes
SPANS = 20


class Thumb(BaseModel):
    """What a person thought of an answer."""

    question: str = Field(max_length=4000)
    helpful: bool
    comment: str = Field("", max_length=4000)


def pane_router(runtime: Runtime, pages: PageImages) -> APIRouter:
    """The endpoints, over one runtime."""
    router = APIRouter(prefix="/api")
    keeper = CatalogueKeeper(runtime)
    named = runtime.settings.question_log
    log = QuestionLog(Path(named)) if named else None

    @router.get("/start")
    def start() -> render.Json:
        """What the page needs as it opens: the documents, example questions, and whether thumbs are kept."""
        catalogue = keeper.now()
        return {
            "documents": [_titled(one) for one in runtime.health()["documents"]],
            "examples": [_titled(one) for one in examples(catalogue.clauses)],
            "thumbs": log is not None,
        }

    @router.get("/clause")
    def clause(id: str) -> render.Json:
        catalogue = keeper.now()
        found = _found(catalogue, id)
        before, after = catalogue.neighbours(found)
        return {
            "id": found.id,
            "label": found.label,
            "html": render_card.card(render.card(found)),
            "before": catalogue.entry(before) if before else None,
            "after": catalogue.entry(after) if after else None,
        }

    @router.get("/marks")
    def where(id: str, spans: str = "") -> render.Json:
        """The boxes to highlight, by page; ``spans`` ("0-39 50-70") are the quoted runs of the clause's text."""
        found = _found(keeper.now(), id)
        path, quotes = _pdf(found.document), _spans(spans)
        numbers = sorted({line.page for line in found.lines}) or [found.page_start]
        drawn = {number: marks(found, number, pages.size(path, number), quotes) for number in numbers}
        strong = [number for number, boxes in drawn.items() if any(box.strong for box in boxes)]
        return {
            "label": found.label,
            "section": found.section,
            "issue": found.issue,
            "sha256": found.document.sha256,
            "pages": found.document.pages,
            "first": (strong or numbers)[0],
            "marks": {number: [asdict(box) for box in boxes] for number, boxes in drawn.items()},
        }

    @router.get("/named/{target:path}")
    def named_by(target: str, near: str = "") -> render.Json:
        """The clause that a reference leads to."""
        catalogue = keeper.now()
        found = catalogue.named(target, catalogue.clause(near))
        if found is None:
            raise HTTPException(404, f"{target} is not among the indexed documents")
        return {"id": found.id}

    @router.get("/tree/{sha256}")
    def tree(sha256: str) -> Sequence[render.Json]:
        return keeper.now().tree(sha256)

    @router.get("/find")
    def find(
        q: Annotated[str, Query(max_length=200)] = "", section: str = "", issue: str = "", status: str = "in_force"
    ) -> Sequence[render.Json]:
        return keeper.now().find(q, Filters(section=section, issue=issue, status=status))

    @router.get("/terms")
    def terms() -> Sequence[render.Json]:
        return keeper.now().terms()

    @router.get("/page/{sha256}/{number}.png")
    def page(sha256: str, number: int) -> Response:
        """The picture of a page, from 1."""
        document = _document(keeper.now(), sha256)
        path = _pdf(document)
        if not 1 <= number <= document.pages:
            raise HTTPException(404, f"{document.file} has pages 1 to {document.pages}")
        return Response(pages.png(path, number), media_type="image/png", headers={"Cache-Control": FOREVER})

    @router.get("/document/{sha256}.pdf")
    def pdf(sha256: str) -> Response:
        document = _document(keeper.now(), sha256)
        path = _pdf(document)
        if not path.is_file():
            raise ReadError(f"{document.file}: the file is gone", "Run: techreg ingest")
        return FileResponse(
            path, media_type="application/pdf", filename=document.file, content_disposition_type="inline"
        )

    @router.post("/feedback")
    def feedback(thumb: Thumb) -> Response:
        if log is None:
            raise HTTPException(404, "no question log is set")
        log.feedback(thumb.question, thumb.helpful, thumb.comment)
        return Response(status_code=204)

    return router


def _titled(shaped: render.Json) -> render.Json:
    return shaped | {"title": render.titled(shaped["title"])}


def _found(catalogue: Catalogue, clause_id: str) -> Clause:
    found = catalogue.clause(clause_id)
    if found is None:
        raise HTTPException(404, "this clause is no longer among the indexed documents")
    return found


def _document(catalogue: Catalogue, sha256: str) -> Document:
    if sha256 not in catalogue.documents:
        raise HTTPException(404, "this document is not indexed")
    return catalogue.documents[sha256]


def _pdf(document: Document) -> Path:
    if not has_pages(document):
        raise HTTPException(404, f"{document.file} has no pages to show")
    return Path(document.path)


def has_pages(document: Document) -> bool:
    """Whether a document's pages can be shown as pictures."""
    return document.file.lower().endswith(".pdf")


def _spans(text: str) -> list[tuple[int, int]]:
    spans = []
    for part in text.split()[:SPANS]:
        start, dash, end = part.partition("-")
        if not (dash and start.isdecimal() and end.isdecimal()):
            raise HTTPException(422, "spans are written as 0-39 50-70")
        spans.append((int(start), int(end)))
    return spans
