"""References that a clause makes: to articles, to appendices, and to FIA documents by name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipelines.schema import Reference

_ITEM = r"(?:\.[a-z](?:\.\d+)?\b(?!\w)|\s?\([a-z0-9]{1,4}\))*"
_LETTERED = re.compile(rf"\b(?P<id>[A-F])\.?(?P<number>\d+(?:\.\d+)+){_ITEM}")
_ARTICLE = re.compile(rf"\bArt(?:icle)?s?\.?\s+(?P<id>[A-F]?)\.?(?P<number>\d+(?:\.\d+)*){_ITEM}")
_OF_APPENDIX = re.compile(r"\s*(?:of|in|to)\s+(?:this\s+Appendix|Appendix\s+(?P<name>[A-F]?\d+))")
_APPENDIX_FIRST = re.compile(
    rf"\bAppendi(?:x|ces)\s+(?P<name>[A-F]?\d+)\b(?:,?\s+(?:Article|Art\.)\s*(?P<number>\d+(?:\.\d+)*){_ITEM})?"
)
_PARAGRAPH = re.compile(r"§\s?(?P<number>\d+(?:\.\d+)*)")
_DOCUMENT = re.compile(r"\bFIA-F1-DOC-?[A-Z0-9]+(?:-[A-Z0-9]+)*")


def find_references(
    text: str, *, named: Iterable[tuple[int, int]], appendix: str, lettered: bool
) -> tuple[Reference, ...]:
    """Every reference of a clause's text, in order; where two readings overlap the longer one stands.

    Args:
        text: the clause's text.
        named: runs of the text in the colour of references to FIA documents.
        appendix: the appendix that the clause stands in, "APP C2" or "": what "Article 1.6 of this Appendix" means.
        lettered: whether the document's articles carry their section's letter: "Article 15" then is another code's.
    """
    found: list[Reference] = []
    for match in _APPENDIX_FIRST.finditer(text):
        target = f"APP {match['name']}" + (f".{match['number']}" if match["number"] else "")
        found.append(Reference("article" if match["number"] else "appendix", target, match[0], *match.span()))
    for match in _ARTICLE.finditer(text):
        if reference := _article(match, text, appendix, lettered):
            found.append(reference)
    for match in _LETTERED.finditer(text):
        target = f"{match['id']}{match['number']}"
        found.append(
            Reference("article", target, match[0].rstrip("."), match.start(), match.start() + len(match[0].rstrip(".")))
        )
    if appendix:
        for match in _PARAGRAPH.finditer(text):
            found.append(Reference("article", f"{appendix}.{match['number']}", match[0], *match.span()))
    for match in _DOCUMENT.finditer(text):
        found.append(Reference("document", match[0], match[0], *match.span()))
    for start, end in named:
        name = text[start:end].strip(' .,;:()[]“”"')
        if len(name) > 3 and any(char.isalpha() for char in name):
            start = text.index(name, start)
            found.append(Reference("document", name, name, start, start + len(name)))
    return _longest(found)


def _article(match: re.Match[str], text: str, appendix: str, lettered: bool) -> Reference | None:
    """An article's reference: one "of this Appendix" is that appendix's; None for an article of another code."""
    number, own = match["number"], match["id"]
    end = match.end()
    target = f"{own}{number}"
    if not own:
        of = _OF_APPENDIX.match(text, end)
        name = (f"APP {of['name']}" if of["name"] else appendix) if of else ""
        if of and name:
            target, end = f"{name}.{number}", of.end()
        elif lettered:
            return None
    printed = text[match.start() : end].rstrip(".")
    return Reference("article", target, printed, match.start(), match.start() + len(printed))


def _longest(references: list[Reference]) -> tuple[Reference, ...]:
    """References that do not overlap: of two that do, the one that begins first, then the longer one."""
    kept: list[Reference] = []
    for reference in sorted(references, key=lambda reference: (reference.start, -reference.end)):
        if not kept or reference.start >= kept[-1].end:
            kept.append(reference)
    return tuple(kept)
