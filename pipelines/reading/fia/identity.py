"""What a regulation says of itself on its own pages: section, title, issue, date and season."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from pipelines.reading.fia.page import Glyph, Page

_MONTHS = "january february march april may june july august september october november december".split()
_LONG_DATE = re.compile(r"\b(\d{1,2}) (" + "|".join(_MONTHS) + r") (\d{4})\b", re.IGNORECASE)
_SHORT_DATE = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b")
_SECTION = re.compile(r"\bSECTION ([A-F])\b\s*:?\s*([^\n©]*)")
_ISSUE = re.compile(r"\bIssue:?\s*(\d+)\b", re.IGNORECASE)
_SEASON = re.compile(r"\b(20\d\d) (?:FIA )?(?:Formula (?:1|One)|F1)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"\b((?:Sporting|Technical|Financial|Operational|General)\b[A-Za-z0-9 ():]*?)(?=\s{2}|\s\d|\n|©|$)"
)
# Older documents have no section letter; their subject stands for it.
_LETTER_OF = {"general": "A", "sporting": "B", "technical": "C", "financial": "D", "operational": "F"}
_REGULATION = re.compile(r"\b(FIA|F[ée]d[ée]ration Internationale de l.Automobile)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identity:
    """A regulation's own account of itself; "" for what it does not say."""

    section: str
    title: str
    issue: str
    date: str  # ISO 8601
    season: str


def identify(pages: list[Page]) -> Identity | None:
    """Read the identity from the furniture of all pages, which must be marked, and from the first page.

    Returns:
        None when the pages name neither the FIA nor a section or subject of the Formula 1 regulations.
    """
    headers = _furniture(pages, "header")
    footers = _furniture(pages, "footer")
    cover = "\n".join(_lines([glyph for page in pages[:1] for glyph in page.glyphs if not glyph.struck]))
    printed = "\n".join([*headers.elements(), *footers.elements()])
    everything = f"{printed}\n{cover}"
    section = _SECTION.search(printed) or _SECTION.search(cover)
    subject = _SUBJECT.search(printed) or _SUBJECT.search(cover)
    season = _SEASON.search(printed) or _SEASON.search(cover)
    if not _REGULATION.search(everything) or not (section or (subject and season)):
        return None
    if section:
        letter, title = section[1], " ".join(section[2].split())
    else:
        assert subject is not None  # for the type checker: the guard above
        title = " ".join(subject[1].split())
        letter = _LETTER_OF[title.split()[0].lower()]
    issue = _ISSUE.search(printed) or _ISSUE.search(cover)
    date = _date("\n".join(footers.elements())) or _date(cover)
    year = season[1] if season else date[:4]
    return Identity(letter, title, issue[1] if issue else "", date, year)


def _furniture(pages: list[Page], band: str) -> Counter[str]:
    """The lines of a band over all pages with the number of pages on which each stands, the most frequent first."""
    lines: Counter[str] = Counter()
    for page in pages:
        lines.update(_lines([glyph for glyph in page.glyphs if glyph.drop == band and not glyph.struck]))
    return Counter(dict(lines.most_common(12)))


def _lines(glyphs: list[Glyph]) -> list[str]:
    lines: list[list[Glyph]] = []
    for glyph in glyphs:
        if not lines or abs(lines[-1][-1].baseline - glyph.baseline) > 1:
            lines.append([])
        lines[-1].append(glyph)
    texts = (" ".join("".join(glyph.text for glyph in line).split()) for line in lines)
    return [text for text in texts if text]


def _date(text: str) -> str:
    """The first date of a text in ISO 8601, "" for none."""
    if match := _LONG_DATE.search(text):
        return f"{match[3]}-{_MONTHS.index(match[2].lower()) + 1:02d}-{int(match[1]):02d}"
    if match := _SHORT_DATE.search(text):
        return f"{match[3]}-{int(match[2]):02d}-{int(match[1]):02d}"
    return ""
