"""What a reader must find in the sample, worked out from the sources and never from a reader.

The words come from the markup, the pages from the layout, the account of characters from the pieces that were written.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from scripts.sample.markup import REPLACED, Block, Run, Source
from scripts.sample.sheet import Sheet

_YEAR = re.compile(r"^Changes for (\d{4})$")
_FIGURE = re.compile(r"\bFigure \d")


@dataclass(slots=True)
class _Clause:
    """A clause, or a heading that may turn out to be one, with the blocks that stand under it."""

    kind: str
    article: str
    printed: str
    title: str
    path: list[str]
    year: str
    governance: list[str]
    blocks: list[Block]

    @property
    def has_words(self) -> bool:
        """False for a heading under which no text of its own stands."""
        return self.kind in ("clause", "definition") or len(self.blocks) > 1


@dataclass(slots=True)
class _Reading:
    """Where the walk through the blocks has come to."""

    found: list[_Clause] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)  # by article, as first printed
    governance: dict[str, list[str]] = field(default_factory=dict)  # by article or appendix
    root: str = ""  # the article or appendix that is open
    appendix: str = ""
    part: str = ""  # the bold heading that is open
    skip: bool = False  # True under a struck number

    @property
    def year(self) -> str:
        year = _YEAR.match(self.part)
        return year[1] if year else ""

    def open(self, kind: str, article: str, printed: str, title: str, block: Block) -> None:
        """Start a clause or heading at ``block``."""
        above = [f"{id_} {self.titles[id_]}" for id_ in _above(article) if id_ in self.titles]
        outer = [f"{self.appendix} {self.titles[self.appendix]}", self.part] if self.appendix else []
        path = [] if kind == "appendix" else [name for name in outer if name] + above
        root = self.root if kind == "definition" or article.startswith("APP") else article.split(".")[0]
        governance = self.governance.setdefault(root, [])
        self.found.append(_Clause(kind, article, printed, title, path, self.year, governance, [block]))


def expected(source: Source, file: str, sheets: list[Sheet]) -> dict[str, object]:
    """The truth of one section: its document, headings, clauses and account of characters, as plain data."""
    head = source.head
    found = _walk(source.blocks)
    return {
        "file": file,
        "section": head["section"],
        "section_title": head["title"],
        "issue": head["issue"],
        "date": head["date"],
        "season": head["season"],
        "pages": len(sheets),
        "headings": [_heading(clause) for clause in found if not clause.has_words],
        "clauses": [_clause(clause) for clause in found if clause.has_words],
        "account": _account(sheets),
    }


def words(runs: list[Run]) -> str:
    """The words in force of some runs: nothing struck, no comment, no governance, and single blanks."""
    kept = "".join(run.text for run in runs if not run.struck and (not _aside(run) or REPLACED.match(run.text)))
    return re.sub(r" +([,.;:])", r"\1", re.sub(r"\s+", " ", kept)).strip()


def _aside(run: Run) -> bool:
    return run.tone in ("comment", "governance")


def _above(article: str) -> list[str]:
    """The ids above an article, outermost first: B1.3.1 -> B1, B1.3."""
    parts = article.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _walk(blocks: list[Block]) -> list[_Clause]:
    reading = _Reading()
    for block in blocks:
        if block.kind in ("article", "appendix", "sub-article", "clause"):
            _number(reading, block)
        elif block.kind == "heading":
            reading.part = words(block.title)
        elif block.kind == "governance":
            reading.governance.setdefault(reading.root, []).append("".join(run.text for run in block.runs))
        elif block.kind == "definition":
            term = next(run.text for run in block.runs if run.bold)
            reading.open("definition", reading.appendix, reading.appendix, term, block)
        elif block.kind != "omission" and not reading.skip:
            reading.found[-1].blocks.append(block)
    return reading.found


def _number(reading: _Reading, block: Block) -> None:
    """Open the article, appendix, sub-article or clause that ``block`` numbers, unless the number is struck out."""
    printed = "".join(run.text for run in block.number if not run.struck)
    reading.skip = bool(block.number) and not printed
    if reading.skip:
        return
    title = words(block.title)
    if block.kind in ("article", "appendix"):
        reading.root = block.id
    if block.kind == "appendix":
        reading.appendix, reading.part = block.id, ""
    if block.kind != "clause":
        reading.titles.setdefault(block.id, title)
    reading.open(block.kind, block.id, printed or block.id, title, block)


def _heading(clause: _Clause) -> dict[str, object]:
    return {
        "article": clause.article,
        "title": clause.title,
        "page": min(clause.blocks[0].pages),
        "year": clause.year,
        "void": clause.title == "VOID",
    }


def _clause(clause: _Clause) -> dict[str, object]:
    runs = [run for block in clause.blocks for run in _runs(block)]
    live = [run for run in runs if not run.struck]
    text = "\n".join(part for block in clause.blocks for part in _text(block) if part)
    replaced = REPLACED.match(text)
    pages = sorted(set().union(*(block.pages for block in clause.blocks)))
    return {
        "article": clause.article,
        "article_printed": clause.printed,
        "kind": "clause" if clause.kind == "sub-article" else clause.kind,
        "term": clause.title if clause.kind == "definition" else "",
        "title": clause.title,
        "text": text,
        "page_start": pages[0],
        "page_end": pages[-1],
        "status": "future" if clause.year else "in_force",
        "year": clause.year,
        "path": clause.path,
        "changed": any(run.struck or run.tone == "changed" for run in runs),
        "inserted": [part for block in clause.blocks for part in _inserted(block)],
        "void": text == "VOID" or bool(replaced),
        "replaced_by": replaced[1] if replaced else "",
        "comments": [run.text.strip() for run in live if run.tone == "comment" and not REPLACED.match(run.text)],
        "governance": clause.governance + [run.text for run in live if run.tone == "governance"],
        "references": [
            {"kind": run.reference[0], "target": run.reference[1], "printed": run.text} for run in live if run.reference
        ]
        + ([{"kind": "article", "target": replaced[1], "printed": replaced[1]}] if replaced else []),
        "has_figure": bool(_FIGURE.search(text)),
        "tables": [block.rows for block in clause.blocks if block.kind == "table"],
    }


def _runs(block: Block) -> list[Run]:
    if block.kind == "columns":
        return [run for column in block.columns for item in column for run in item.runs]
    return block.runs


def _inserted(block: Block) -> list[str]:
    """The wording that this issue inserted; an item inserted as a whole has its letter inserted too."""
    texts = [run.text.strip() for run in block.runs if run.tone == "changed" and not run.struck]
    return [f"{block.marker} {texts[0]}"] if block.marker and block.inserted and not block.struck else texts


def _text(block: Block) -> list[str]:
    if block.kind == "table":
        head, *rows = ("| " + " | ".join(row) + " |" for row in block.rows)
        return ["\n".join([head, "|" + " --- |" * len(block.widths), *rows])]
    if block.kind == "columns":
        return [f"{item.marker} {words(item.runs)}" for column in block.columns for item in column]
    text = words(block.runs)
    return [f"{block.marker} {text}" if block.marker and text else text]


def _account(sheets: list[Sheet]) -> dict[str, int]:
    """The characters written by the name of their drop; a ligature is one character, a struck blank is struck."""
    count: Counter[str] = Counter()
    for sheet in sheets:
        for piece in sheet.pieces:
            blanks = 0 if piece.look.struck else piece.text.count(" ")
            count[piece.look.place] += len(piece.text) - blanks
            count["white_space"] += blanks
    return dict(sorted(count.items()))
