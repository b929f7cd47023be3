"""What a reader must find in the sample, worked out from the sources and never from a reader.

The words come from the markup, the pages from the layout, the account of characters from the pieces that were written.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from scripts.sample.markup import Block, Run, Source
from scripts.sample.sheet import Sheet

_REPLACED = re.compile(r"^\[Replaced by Article ([\w.]+)\]$")
_FIGURE = re.compile(r"\bFigure \d")


@dataclass(slots=True)
class _Open:
    """A clause while its blocks are gathered."""

    kind: str
    article: str
    printed: str
    title: str
    path: list[str]
    year: str
    governance: list[str]
    term: str = ""
    blocks: list[Block] = field(default_factory=list)


def expected(source: Source, file: str, sheets: list[Sheet]) -> dict[str, object]:
    """The truth of one section: its document, headings, clauses and account of characters, as plain data."""
    head = source.head
    clauses, headings = _gather(source.blocks)
    return {
        "file": file,
        "section": head["section"],
        "section_title": head["title"],
        "issue": head["issue"],
        "date": head["date"],
        "season": head["season"],
        "pages": len(sheets),
        "headings": headings,
        "clauses": [_clause(clause) for clause in clauses],
        "account": _account(sheets),
    }


def words(runs: list[Run]) -> str:
    """The words in force of some runs: nothing struck, no comment, no governance, and single blanks."""
    kept = "".join(run.text for run in runs if not run.struck and run.tone not in ("comment", "governance"))
    return re.sub(r" +([,.;:])", r"\1", re.sub(r"\s+", " ", kept)).strip()


def _gather(blocks: list[Block]) -> tuple[list[_Open], list[dict[str, object]]]:
    clauses: list[_Open] = []
    headings: list[dict[str, object]] = []
    path: dict[str, str] = {}
    governance: list[str] = []
    year, appendix = "", False
    current: _Open | None = None

    def start(kind: str, article: str, printed: str = "", title: str = "") -> _Open:
        trail = [value for value in path.values() if value]
        opened = _Open(kind, article, printed or article, title, trail, year, list(governance))
        clauses.append(opened)
        return opened

    for block in blocks:
        kind = block.kind
        if kind in ("article", "appendix", "sub-article"):
            number = "".join(run.text for run in block.number if not run.struck)
            if block.number and not number:
                current = None
                continue
            title = words(block.title)
            if kind == "appendix":
                path, year, appendix, governance = {"appendix": f"{block.id} {title}"}, "", True, []
            elif kind == "article":
                path = {"appendix": path.get("appendix", ""), "article": f"{block.id} {title}"}
                governance = []
            else:
                path["sub-article"] = f"{number} {title}"
            headings.append(
                {"article": number or block.id, "title": title, "page": min(block.pages), "year": year,
                 "void": title == "VOID"}
            )  # fmt: skip
            current = None
            if kind == "sub-article":
                current = _Open("clause", number, number, title, [], year, [])  # joins the clauses once it has words
                current.blocks.append(block)
        elif kind == "heading":
            found = re.fullmatch(r"Changes for (\d{4})", words(block.title))
            year = found[1] if found else year
            current = None
        elif kind == "governance":
            governance.append(words([Run(run.text) for run in block.runs]))
        elif kind == "clause":
            printed = "".join(run.text for run in block.number if not run.struck)
            current = None
            if printed:
                current = start("clause", block.id, printed, words(block.title))
                current.blocks.append(block)
            else:
                current = _Open("struck", "", "", "", [], year, [])
        elif kind == "definition":
            current = start("definition", path["appendix"].partition(" ")[0] + " " + path["appendix"].split()[1])
            current.term = next(run.text for run in block.runs if run.bold)
            current.blocks.append(block)
        elif kind != "omission":
            if current is None:
                if not appendix:
                    raise ValueError(f"text under no clause: {block}")
                current = start("appendix", " ".join(path["appendix"].split()[:2]))
            elif current not in clauses and current.kind == "clause":
                current.path = [value for value in path.values() if value]
                current.governance = list(governance)
                clauses.append(current)
            current.blocks.append(block)
    return clauses, headings


def _clause(clause: _Open) -> dict[str, object]:
    runs = [run for block in clause.blocks for run in _runs(block)]
    text = "\n".join(part for block in clause.blocks for part in _text(block) if part)
    comments = [run.text.strip() for run in runs if run.tone == "comment" and not run.struck]
    replaced = [found[1] for comment in comments if (found := _REPLACED.match(comment))]
    pages = sorted(set().union(*(block.pages for block in clause.blocks)))
    return {
        "article": clause.article,
        "article_printed": clause.printed,
        "kind": clause.kind,
        "term": clause.term,
        "title": clause.title,
        "text": text,
        "page_start": pages[0],
        "page_end": pages[-1],
        "status": "future" if clause.year else "in_force",
        "year": clause.year,
        "path": clause.path,
        "changed": any(run.struck or run.tone == "changed" for run in runs),
        "inserted": [run.text.strip() for run in runs if run.tone == "changed" and not run.struck],
        "void": text == "VOID",
        "replaced_by": replaced[0] if replaced else "",
        "comments": [comment for comment in comments if not _REPLACED.match(comment)],
        "governance": clause.governance + [run.text for run in runs if run.tone == "governance"],
        "references": [
            {"kind": run.reference[0], "target": run.reference[1], "printed": run.text}
            for run in runs
            if run.reference and not run.struck
        ],
        "has_figure": bool(_FIGURE.search(text)),
        "tables": [block.rows for block in clause.blocks if block.kind == "table"],
    }


def _runs(block: Block) -> list[Run]:
    if block.kind == "columns":
        return [run for column in block.columns for item in column for run in item.runs]
    return block.runs


def _text(block: Block) -> list[str]:
    if block.kind == "table":
        head, *rows = ("| " + " | ".join(row) + " |" for row in block.rows)
        return ["\n".join([head, "|" + " --- |" * len(block.widths), *rows])]
    if block.kind == "columns":
        return [f"{item.marker} {words(item.runs)}" for column in block.columns for item in column]
    text = words(block.runs)
    return [f"{block.marker} {text}" if block.marker and text else text]


def _account(sheets: list[Sheet]) -> dict[str, int]:
    """The characters written, blanks apart, by the name of their drop; a ligature is one character."""
    count: Counter[str] = Counter()
    for sheet in sheets:
        for piece in sheet.pieces:
            count[piece.look.place] += len(piece.text.replace(" ", ""))
            count["white_space"] += piece.text.count(" ")
    return dict(sorted(count.items()))
