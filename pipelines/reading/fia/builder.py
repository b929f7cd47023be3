"""Blocks of the article tree made into clauses and headings: ids, texts, references and what else a clause carries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pipelines.reading.fia import numbering
from pipelines.reading.fia.blocks import Block
from pipelines.reading.fia.colors import Palette
from pipelines.reading.fia.compose import compose
from pipelines.reading.fia.definitions import slug
from pipelines.reading.fia.lines import Line
from pipelines.reading.fia.marks import words
from pipelines.reading.fia.page import Glyph
from pipelines.reading.fia.references import Place, find_references
from pipelines.reading.fia.tree import Tree
from pipelines.schema import Clause, Document, Heading, Kind, Status

_FIGURE = re.compile(r"\b(?:Figures?|Fig\.|[Dd]rawings?|[Dd]iagrams?|[Ii]llustrat\w+)\b")


class Builder:
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
        place = Place(block.article, appendix, self._document.section if self._lettered else "")
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
                references=find_references(text, place, named=composed.named, tables=composed.tables),
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
