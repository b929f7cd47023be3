"""An FIA regulation read from PDF: pages to glyphs to lines to articles to clauses."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pymupdf

from pipelines.errors import DamagedFile, EncryptedFile, NoText, UnknownFormat
from pipelines.reading.fia import ligatures, numbering
from pipelines.reading.fia.account import LOST, account
from pipelines.reading.fia.blocks import Block
from pipelines.reading.fia.colors import Palette, read_palette
from pipelines.reading.fia.compose import compose
from pipelines.reading.fia.definitions import slug
from pipelines.reading.fia.furniture import drop_furniture
from pipelines.reading.fia.glyphs import load_pages
from pipelines.reading.fia.identity import Identity, identify
from pipelines.reading.fia.layers import drop_layers
from pipelines.reading.fia.lines import Item, Line, read_items
from pipelines.reading.fia.marks import mark_runs, words
from pipelines.reading.fia.page import Glyph, Page
from pipelines.reading.fia.references import find_references
from pipelines.reading.fia.tables import Table, find_tables, join_all
from pipelines.reading.fia.tree import Tree
from pipelines.schema import Clause, Document, Heading, Kind, ReadResult, Status

# Fewer inked characters a page than this is a scan or an empty file.
_LEAST_INK = 20
_LETTERED = re.compile(r"^ARTICLE\s+[A-F]\d")
_PLAIN_ARTICLE = re.compile(r"^ARTICLE\s+\d", re.IGNORECASE)
_FIGURE = re.compile(r"\b(?:Figures?|Fig\.|[Dd]rawings?|[Dd]iagrams?|[Ii]llustrat\w+)\b")


class NotARegulation(UnknownFormat):
    """Raised for a PDF with text that is no FIA regulation: another reader may take it."""


def read_regulation(path: Path) -> ReadResult:
    """Read one FIA regulation.

    Raises:
        DamagedFile: the bytes are no readable PDF.
        EncryptedFile: the PDF wants a password.
        NoText: the PDF holds no text layer.
        NotARegulation: it holds text, but no regulation's.
    """
    started = time.perf_counter()
    data = path.read_bytes()
    pages = _load(path, data)
    for page in pages:
        drop_layers(page)
    ligatures.mend(pages)
    drop_furniture(pages)
    identity = identify(pages)
    if identity is None:
        raise NotARegulation(f"{path.name} is no FIA regulation")
    document = _document(path, data, identity, len(pages))
    result = _read(pages, document)
    return ReadResult(
        document=document,
        clauses=result.clauses,
        headings=result.headings,
        account=result.account,
        warnings=result.warnings,
        cross_references=result.cross_references,
        seconds=round(time.perf_counter() - started, 3),
    )


def _load(path: Path, data: bytes) -> list[Page]:
    if not data:
        raise NoText(f"{path.name} is empty")
    try:
        with pymupdf.open(stream=data, filetype="pdf") as source:
            if source.needs_pass:
                raise EncryptedFile(f"{path.name} wants a password")
            if source.page_count == 0:
                raise DamagedFile(f"{path.name} has no pages")
            pages = load_pages(source)
    except (pymupdf.FileDataError, pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError) as error:
        raise DamagedFile(f"{path.name} is no readable PDF") from error
    ink = sum(not glyph.raw.isspace() for page in pages for glyph in page.glyphs if not glyph.hidden)
    if ink < _LEAST_INK * min(len(pages), 5):
        raise NoText(f"{path.name} is scanned: it holds no text layer")
    return pages


def _document(path: Path, data: bytes, identity: Identity, pages: int) -> Document:
    return Document(
        file=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        kind="regulation",
        section=identity.section,
        section_title=identity.title,
        issue=identity.issue,
        date=identity.date,
        season=identity.season,
        pages=pages,
        path=str(path.resolve()),
    )


def _read(pages: list[Page], document: Document) -> ReadResult:
    palette = read_palette(pages)
    items = _items(pages)
    mark_runs(items, palette)
    lines = [item for item in items if isinstance(item, Line) and item.ink]
    lettered = _is_lettered(lines)
    tree = Tree(items, letter=document.section, lettered=lettered)
    if not any(block.numbered for block in tree.blocks):
        raise NotARegulation(f"{document.file} has no numbered articles")
    builder = _Builder(document, tree, palette, lettered)
    builder.build()
    accounted = account(pages, builder.placed)
    if lost := accounted.dropped.get(LOST):
        builder.warnings.append(f"{lost} characters are in no clause")
    return ReadResult(
        document=document,
        clauses=tuple(builder.clauses),
        headings=tuple(builder.headings),
        account=accounted,
        warnings=tuple(builder.warnings),
        cross_references=tuple(tree.references),
    )


def _items(pages: list[Page]) -> list[Item]:
    """Every line, table and figure of the document in reading order; a table over a page break stands once."""
    tables = join_all([table for page in pages for table in find_tables(page)])
    starting: dict[int, list[Table]] = {}
    for table in tables:
        starting.setdefault(table.page, []).append(table)
    taken = {id(glyph) for table in tables for glyph in table.glyphs}
    right = _right_edge(pages)
    return [
        item for page in pages for item in read_items(page, starting.get(page.number, []), taken=taken, right=right)
    ]


def _right_edge(pages: Iterable[Page]) -> float:
    """The x at which most lines end: the right edge of the text area."""
    ends: dict[tuple[int, int], float] = {}
    for page in pages:
        for glyph in page.glyphs:
            if not glyph.drop and not glyph.raw.isspace():
                key = page.number, round(glyph.baseline)
                ends[key] = max(ends.get(key, 0.0), glyph.x1)
    edges = Counter(round(end) for end in ends.values())
    return float(edges.most_common(1)[0][0]) if edges else 0.0


def _is_lettered(lines: Iterable[Line]) -> bool:
    """True when articles carry their section's letter."""
    texts = [line.text for line in lines]
    lettered = sum(bool(_LETTERED.match(text)) for text in texts)
    return lettered > 0 or not any(_PLAIN_ARTICLE.match(text) for text in texts)


class _Builder:
    """Turns blocks into clauses and headings."""

    def __init__(self, document: Document, tree: Tree, palette: Palette, lettered: bool) -> None:
        self._document = document
        self._tree = tree
        self._palette = palette
        self._lettered = lettered
        self._prefix = ".".join(part for part in (document.season, document.section, document.issue) if part)
        self.clauses: list[Clause] = []
        self.headings: list[Heading] = []
        self.warnings: list[str] = []
        self.placed: set[int] = set()
        self._ids: Counter[str] = Counter()

    def build(self) -> None:
        """Fill ``clauses``, ``headings``, ``warnings`` and ``placed``."""
        blocks = self._tree.blocks
        for block in blocks:
            block.settle(self._tree.step)
        for index, block in enumerate(blocks):
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            if not block.has_words and block.numbered and block.title and not _leads_on(block, following):
                self._title_as_words(block)
            if block.has_words:
                self._add_clause(block)
            else:
                self._add_heading(block)

    def _title_as_words(self, block: Block) -> None:
        """A bold line that nothing follows is the clause itself, unless it only says that the article is void."""
        if numbering.VOID.match(block.title) or not re.search(r"\s", block.title):
            return
        glyphs = [glyph for glyph in block.heading if glyph.drop == "heading"]
        if not glyphs:
            return
        for glyph in glyphs:
            glyph.drop = ""
        rows: dict[tuple[int, float], list[Glyph]] = {}
        for glyph in glyphs:
            rows.setdefault((glyph.page, glyph.baseline), []).append(glyph)
        block.items[:0] = [Line(page, base, row, row[-1].x1 + 1) for (page, base), row in rows.items()]
        block.title = ""

    def _add_heading(self, block: Block) -> None:
        if not block.title and not block.numbered:
            return
        if block.silent:
            return
        self.headings.append(
            Heading(
                article=block.article,
                title=block.title,
                page=block.page,
                void=bool(numbering.VOID.match(block.title)) or (block.numbered and not block.title),
                replaced_by=numbering.replaced_by(block.title),
                year=block.year,
            )
        )

    def _add_clause(self, block: Block) -> None:
        composed = compose(block.items, self._palette, self._tree.step)
        self.placed.update(id(glyph) for glyph in composed.glyphs)
        if not composed.text:
            return
        pages = [box.page for box in composed.lines] or [block.page]
        text = composed.text
        void, replaced = _void(text)
        host = next((name for name, _ in block.path if name.startswith("APP ")), "")
        appendix = block.article.split(".")[0] if block.article.startswith("APP ") else host
        self.clauses.append(
            Clause(
                id=self._id(block),
                document=self._document,
                kind=block.kind,
                article=block.article,
                article_printed=block.printed,
                title=block.title or block.term,
                text=text,
                page_start=min(pages),
                page_end=max(pages),
                status=Status.FUTURE if block.year else Status.IN_FORCE,
                term=block.term,
                year=block.year,
                path=tuple(f"{name} {title}".strip() for name, title in block.path),
                ancestors=tuple(name for name, _ in block.path if name),
                lines=composed.lines,
                changed=bool(composed.inserted) or _was_cut(block),
                inserted=composed.inserted,
                void=void,
                replaced_by=replaced,
                references=find_references(text, named=composed.named, appendix=appendix, lettered=self._lettered),
                comments=tuple(_comments(block)),
                governance=tuple(self._governance(block)),
                has_figure=block.has_figure or bool(_FIGURE.search(text)),
                tables=composed.tables,
            )
        )

    def _id(self, block: Block) -> str:
        parts = [self._prefix, block.article]
        if block.kind is Kind.DEFINITION:
            parts.append(slug(block.term))
        elif block.kind is Kind.APPENDIX and block.heading and self._ids[f"{self._prefix}/{block.article}"]:
            parts.append(slug(block.title)[:60])
        name = "/".join(parts) + (f"@{block.year}" if block.year else "")
        self._ids[name] += 1
        if self._ids[name] > 1:
            self.warnings.append(f"{block.article} {block.term} on page {block.page} repeats an id".replace("  ", " "))
            name = f"{name}~{self._ids[name]}"
        return name

    def _governance(self, block: Block) -> Sequence[str]:
        """The block's own governance lines, or those of the nearest heading above it that has any."""
        if block.governance:
            return block.governance
        names = [block.article, *(name for name, _ in reversed(block.path) if name)]
        if block.part:
            names.insert(0, block.part)
        for name in names:
            for year in dict.fromkeys((block.year, "")):
                if lines := self._tree.governance.get((year, name)):
                    return lines
        return ()


def _leads_on(block: Block, following: Block | None) -> bool:
    """True when what follows stands under the block."""
    return following is not None and following.article.startswith(f"{block.article}.")


def _void(text: str) -> tuple[bool, str]:
    """Whether a clause says no more than that it is void or replaced, and by what."""
    paragraphs = [line for line in text.split("\n") if line.strip()]
    if all(numbering.VOID.match(line) for line in paragraphs):
        return True, ""
    if all(numbering.REPLACED.match(line.strip()) for line in paragraphs):
        return True, ", ".join(numbering.replaced_by(line) for line in paragraphs)
    return False, ""


def _was_cut(block: Block) -> bool:
    """True when wording of the block's lines was struck out."""
    return any(glyph.struck for item in block.items if isinstance(item, Line) for glyph in item.ink)


def _comments(block: Block) -> list[str]:
    """The comments among the block's lines, each run of lines as one."""
    runs: list[list[Glyph]] = []
    open_run = False
    for item in block.items:
        if not isinstance(item, Line):
            open_run = False
            continue
        for glyph in item.glyphs:
            if glyph.raw.isspace() and open_run:
                runs[-1].append(glyph)
                continue
            if glyph.drop != "comment":
                open_run = open_run and glyph.struck
                continue
            if not open_run:
                runs.append([])
                open_run = True
            runs[-1].append(glyph)
    return [words(run) for run in runs]
