"""Reports as Markdown tables and as one HTML page with everything in it: no script, no outside request."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

_STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c}"
    "table{border-collapse:collapse;margin:1rem 0;font-size:13px}td,th{border:1px solid #d8d8d8;padding:.25rem .5rem;"
    "text-align:left;vertical-align:top}th{background:#f4f4f4}"
    "svg{max-width:100%;height:auto;display:block;margin:1rem 0}"
)

Table = tuple[Sequence[str], Sequence[Sequence[object]]]
"""Column heads, and rows of cells."""


def markdown(table: Table) -> str:
    """A Markdown table; numbers with three decimals."""
    heads, rows = table
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    lines += [f"| {' | '.join(_cell(value).replace('|', chr(92) + '|') for value in row)} |" for row in rows]
    return "\n".join(lines)


def html(title: str, parts: Iterable[str | Table]) -> str:
    """A page of its own. A part is a heading (``# ...``), a paragraph, an SVG drawing or a table."""
    body = [f"<h1>{escape(title)}</h1>", *(_part(part) for part in parts)]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def csv_text(table: Table) -> str:
    """The table as CSV, numbers in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table[0])
    writer.writerows(table[1])
    return out.getvalue()


def write(folder: Path, files: Mapping[str, str | Mapping[str, Any]]) -> list[Path]:
    """Write texts, and mappings as JSON, into a folder that is made if need be; gives the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        (folder / name).write_text(text, encoding="utf-8")
        written.append(folder / name)
    return written


def _part(part: str | Table) -> str:
    if not isinstance(part, str):
        heads, rows = part
        head = "".join(f"<th>{escape(name)}</th>" for name in heads)
        lines = ("".join(f"<td>{escape(_cell(value))}</td>" for value in row) for row in rows)
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
    if part.startswith("<svg"):
        return part
    if part.startswith("# "):
        return f"<h2>{escape(part[2:])}</h2>"
    return f"<p>{escape(part)}</p>"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, tuple | list):
        ends = [f"{end:.3f}" if isinstance(end, float) else str(end) for end in value]
        return ("–" if all(isinstance(end, float) for end in value) else ", ").join(ends)
    return " ".join(str(value).split())
