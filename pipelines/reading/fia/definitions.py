"""Defined terms: how a definition begins, and what its term is called in an id."""

from __future__ import annotations

import re
import unicodedata

from pipelines.reading.fia.lines import Line, is_live
from pipelines.reading.fia.marks import words

_LONGEST = 120
_QUOTED = re.compile(r"^[“\"„«]\s*([^“”\"„»]{1,%d}?)\s*[”\"“»]" % _LONGEST)
_SINGLE = re.compile(r"^[‘']\s*([^‘’']{2,%d}?)\s*[’']" % _LONGEST)
_DEFINES = re.compile(r"^\s*(?:[:=–-]|means\b|has\b|have\b|is\b|are\b|refers? to\b|shall\b|as defined\b|\()", re.IGNORECASE)
_OPENS = tuple("“\"„«‘'")


def defined_term(line: Line) -> str:
    """The term that a definition's first line defines, "" for a line that begins no definition.

    A term stands in quotes, curly or straight, or in bold before "means" or its like.
    """
    live = [glyph for glyph in line.glyphs if is_live(glyph)]
    text = words(live)
    if text.startswith(_OPENS):
        match = _QUOTED.match(text) or _SINGLE.match(text)
        if match:
            return " ".join(match[1].split()).rstrip(",;:")
        if not live[1:] or not live[1].bold:
            return ""
        live = live[1:]
    bold = 0
    while bold < len(live) and live[bold].bold:
        bold += 1
    term = words(live[:bold]).strip()
    rest = words(live[bold:])
    if bold >= 2 and len(term) <= _LONGEST and _DEFINES.match(rest.lstrip("”\"“’ ")):
        return term.strip(" “”\"‘’:,;")
    return ""


def slug(text: str) -> str:
    """A term as part of an id: lower-case letters and digits joined by hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "text"
