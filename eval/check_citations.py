"""Check the citations of answers against the PDFs, with PyMuPDF alone: nothing of the product is imported here.

    python -m eval.check_citations ANSWERS.jsonl FOLDER...

``ANSWERS.jsonl`` is what ``techreg ask --batch ... --json`` prints; ``FOLDER`` holds the PDFs. A citation holds when
its quote is found on its page with struck characters left out, both sides in NFKC, white space removed and the
letters of f-ligatures removed (one wrong character may stand for a ligature: some of these fonts map it so); a table
is compared cell by cell. Exit code 1 where one does not hold.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf

_FLAGS = pymupdf.TEXT_COLLECT_STYLES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES
_STRUCK = 1
_LETTERS = str.maketrans("", "", "fil")
_LIGATURE = re.compile("ff[il]?|f[il]")


@dataclass(slots=True)
class Tally:
    """What was checked: citations in all, those that hold, and a line for each that does not."""

    answers: int = 0
    without_citation: int = 0
    citations: int = 0
    hold: int = 0
    faults: list[str] = field(default_factory=list)


class Documents:
    """The PDFs of some folders by file name, and by the section letter and issue that their pages print."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._by_name: dict[str, Path] = {}
        self._by_issue: dict[tuple[str, str], Path] = {}
        self._pages: dict[tuple[Path, int], tuple[str, str]] = {}
        for folder in folders:
            for path in sorted(folder.rglob("*.pdf")):
                self._by_name[path.name] = path
                with pymupdf.open(path) as document:
                    self._by_issue.setdefault(_printed_issue(document), path)

    def path_of(self, citation: dict[str, Any]) -> Path | None:
        """The PDF that a citation is of."""
        named = self._by_name.get(str(citation.get("file") or ""))
        return named or self._by_issue.get((str(citation["section"]), str(citation["issue"])))

    def page(self, path: Path, number: int) -> tuple[str, str] | None:
        """The words in force of a page without white space, in content order and from top to bottom."""
        if (path, number) not in self._pages:
            with pymupdf.open(path) as document:
                if not 1 <= number <= document.page_count:
                    return None
                self._pages[path, number] = _words_in_force(document[number - 1])
        return self._pages[path, number]


def check(answers: Iterable[dict[str, Any]], documents: Documents) -> Tally:
    """Check every citation of every answer; refusals and failures must have none."""
    tally = Tally()
    for answer in answers:
        citations = answer.get("citations") or []
        if answer.get("outcome") != "answered":
            if citations:
                tally.faults.append(f"{answer.get('id')}: {answer.get('outcome')} with citations")
            continue
        tally.answers += 1
        tally.without_citation += not citations
        for citation in citations:
            tally.citations += 1
            if fault := fault_of(citation, documents):
                tally.faults.append(f"{answer.get('id')} {citation.get('article')} p.{citation.get('page')}: {fault}")
            else:
                tally.hold += 1
    return tally


def fault_of(citation: dict[str, Any], documents: Documents) -> str:
    """What is wrong with a citation, "" where it holds."""
    path = documents.path_of(citation)
    if path is None:
        return "no such document"
    page = documents.page(path, int(citation["page"]))
    if page is None:
        return "no such page"
    quote = str(citation["quote"])
    if not quote.strip():
        return "an empty quote"
    rows = [line.strip() for line in quote.splitlines() if line.strip()]
    if all(row.startswith("|") and row.endswith("|") for row in rows):
        cells = [cell for row in rows for cell in re.split(r"(?<!\\)\|", row[1:-1])]
        lost = [cell for cell in cells if not re.fullmatch(r"[\s:-]*", cell) and not _stands(cell, page)]
        return f"not on the page: {lost[0].strip()!r}" if lost else ""
    return "" if _stands(quote, page) else f"not on the page: {quote[:60]!r}"


def _stands(words: str, page: tuple[str, str]) -> bool:
    wanted = _squeeze(words.replace("\\|", "|"))
    bare = wanted.translate(_LETTERS)
    if any(bare in text.translate(_LETTERS) for text in page):
        return True
    pattern, position = "", 0
    for ligature in _LIGATURE.finditer(wanted):
        letters = ligature.group()
        options = {letters, ".", "." + letters[-1] if len(letters) == 3 else "."}
        pattern += re.escape(wanted[position : ligature.start()]) + f"(?:{'|'.join(sorted(options, reverse=True))})"
        position = ligature.end()
    pattern += re.escape(wanted[position:])
    return position > 0 and any(re.search(pattern, text) for text in page)


def _squeeze(text: str) -> str:
    return re.sub(r"[\s\u00ad\u200b-\u200d\u2060]+", "", unicodedata.normalize("NFKC", text))


def _words_in_force(page: pymupdf.Page) -> tuple[str, str]:
    lines = []
    for block in page.get_text("dict", flags=_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            words = "".join(span["text"] for span in line["spans"] if not span["char_flags"] & _STRUCK)
            lines.append((round(line["bbox"][3] / 3), line["bbox"][0], words))
    in_content_order = _squeeze("".join(words for *_, words in lines))
    from_the_top = _squeeze("".join(words for *_, words in sorted(lines)))
    return in_content_order, from_the_top


def _printed_issue(document: pymupdf.Document) -> tuple[str, str]:
    """The section letter and the issue that most pages print."""
    sections: Counter[str] = Counter()
    issues: Counter[str] = Counter()
    for page in document.pages(0, min(document.page_count, 12)):
        text = page.get_text()
        sections.update(re.findall(r"SECTION ([A-F]):", text))
        issues.update(re.findall(r"Issue\s+(\d+)", text))
    return (
        sections.most_common(1)[0][0] if sections else "",
        issues.most_common(1)[0][0] if issues else "",
    )


def main(arguments: Sequence[str]) -> int:
    """Run the check and print its tally as one JSON document."""
    if len(arguments) < 2:
        print("usage: python -m eval.check_citations ANSWERS.jsonl FOLDER...", file=sys.stderr)
        return 2
    lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
    tally = check((json.loads(line) for line in lines if line.strip()), Documents(map(Path, arguments[1:])))
    for fault in tally.faults:
        print(fault, file=sys.stderr)
    counts = {name: getattr(tally, name) for name in ("answers", "without_citation", "citations", "hold")}
    print(json.dumps({**counts, "faults": len(tally.faults)}))
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
