"""References that a clause makes: to articles, to appendices, and to FIA documents by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipelines.schema import Reference

_ITEM = r"(?:[a-z]\b)?(?:\.[a-z](?:\.\d+)?\b(?!\w)|\s?\([a-z0-9]{1,4}\))*"
_LETTERED = re.compile(rf"\b(?P<id>[A-F])\.?(?P<number>\d+(?:\.\d+)+){_ITEM}")
_ARTICLE = re.compile(rf"\bArt(?:icle)?s?\.?\s+(?P<id>[A-F]?)\.?(?P<number>\d+(?:\.\d+)*){_ITEM}")
_OF_APPENDIX = re.compile(r"\s*(?:of|in|to)\s+(?:this\s+Appendix|Appendix\s+(?P<name>[A-F]?\d+))")
_APPENDIX_FIRST = re.compile(
    rf"\bAppendi(?:x|ces)\s+(?P<name>[A-F]?\d+)\b(?:,?\s+(?:Article|Art\.)\s*(?P<number>\d+(?:\.\d+)*){_ITEM})?"
)
_OF_REGULATIONS = re.compile(
    r"\s+(?:of|to|in)\s+(?:the|these)\s+(?:FIA\s+)?(?:Formula\s+(?:1|One)\s+)?"
    r"(?P<name>Sporting|Technical|Operational|Power\s+Unit\s+Financial|Financial)\s+Regulations"
)
_OF_ANOTHER_CODE = re.compile(r"\s+(?:of|to|in)\s+(?:the\s+)?(?:ISC|International\s+Sporting\s+Code|FIA\s+Statutes)\b")
_LETTERS = {"Sporting": "B", "Technical": "C", "Financial": "D", "Power Unit Financial": "E", "Operational": "F"}
_THIS = re.compile(r"\bthis\s+$")
_PARAGRAPH = re.compile(r"§\s?(?P<number>\d+(?:\.\d+)*)")
_DOCUMENT = re.compile(r"\bFIA-F1-DOC-?[A-Z0-9]+(?:-[A-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a clause stands, which says what its references mean.

    ``letter`` is the section's, "" for a document whose articles and appendices carry none: there "Article 15" is the
    document's own, elsewhere it is another code's, and "Appendix 3" is APP 3, elsewhere the section's own.
    ``appendix`` is the appendix that the clause stands in, "APP C2" or "": what "Article 1.6 of this Appendix" means.
    """

    article: str = ""
    appendix: str = ""
    letter: str = ""


def find_references(
    text: str, place: Place, *, named: Iterable[tuple[int, int]] = (), tables: Iterable[tuple[int, int]] = ()
) -> tuple[Reference, ...]:
    """Every reference of a clause's text, in order; where two readings overlap the longer one stands.

    Args:
        text: the clause's text.
        place: where the clause stands.
        named: runs of the text in the colour of references to FIA documents.
        tables: runs of the text that are tables: a row's own number, below the clause's, is no reference.
    """
    found: list[Reference] = []
    for match in _APPENDIX_FIRST.finditer(text):
        if reference := _appendix(match, text, place):
            found.append(reference)
    for match in _ARTICLE.finditer(text):
        if reference := _article(match, text, place):
            found.append(reference)
    for match in _LETTERED.finditer(text):
        target = f"{match['id']}{match['number']}"
        found.append(
            Reference("article", target, match[0].rstrip("."), match.start(), match.start() + len(match[0].rstrip(".")))
        )
    if place.appendix:
        for match in _PARAGRAPH.finditer(text):
            found.append(Reference("article", f"{place.appendix}.{match['number']}", match[0], *match.span()))
    for match in _DOCUMENT.finditer(text):
        found.append(Reference("document", match[0], match[0], *match.span()))
    for start, end in named:
        name = text[start:end].strip(' .,;:()[]“”"')
        if len(name) > 3 and any(char.isalpha() for char in name):
            start = text.index(name, start)
            found.append(Reference("document", name, name, start, start + len(name)))
    spans = list(tables)
    return _longest([one for one in found if not _numbers_a_row(one, text, place.article, spans)])


def _appendix(match: re.Match[str], text: str, place: Place) -> Reference | None:
    """An appendix's reference, or one to an article of it; None for another code's.

    One without a letter is of the regulations that are named behind it, else of the clause's own section. "This
    Appendix 5" is the one that the clause stands in, by whatever number it went before.
    """
    name = match["name"]
    if name.isdigit() and _OF_ANOTHER_CODE.match(text, match.end()):
        return None
    if name.isdigit() and place.appendix and _THIS.search(text, 0, match.start()):
        target = place.appendix
    elif name.isdigit() and place.letter:
        of = _OF_REGULATIONS.match(text, match.end())
        target = f"APP {_LETTERS[' '.join(of['name'].split())] if of else place.letter}{name}"
    else:
        target = f"APP {name}"
    if match["number"]:
        return Reference("article", f"{target}.{match['number']}", match[0], *match.span())
    return Reference("appendix", target, match[0], *match.span())


def _numbers_a_row(reference: Reference, text: str, article: str, tables: Iterable[tuple[int, int]]) -> bool:
    """Whether a reference is the number of the table row that it opens: a part of the clause itself."""
    if not reference.target.startswith(f"{article}."):
        return False
    inside = any(start <= reference.start < end for start, end in tables)
    return inside and text[text.rfind("\n", 0, reference.start) + 1 : reference.start].strip() == "|"


def _article(match: re.Match[str], text: str, place: Place) -> Reference | None:
    """An article's reference: one "of this Appendix" is that appendix's; None for an article of another code."""
    number, own = match["number"], match["id"]
    end = match.end()
    target = f"{own}{number}"
    if not own:
        of = _OF_APPENDIX.match(text, end)
        if of and of["name"]:
            target, end = f"APP {place.letter if of['name'].isdigit() else ''}{of['name']}.{number}", of.end()
        elif of and place.appendix:
            target, end = f"{place.appendix}.{number}", of.end()
        elif place.letter:
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
