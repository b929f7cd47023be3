"""Defined terms: how a definition begins, and what its term is called in an id."""

from __future__ import annotations

import re
import unicodedata

from pipelines.reading.fia.lines import Line
from pipelines.reading.fia.marks import words
from pipelines.reading.fia.page import Glyph

_LONGEST = 120
_QUOTED = re.compile(rf"^[“\"„«]\s*([^“”\"„»]{{1,{_LONGEST}}}?)\s*[”\"“»]")
_SINGLE = re.compile(rf"^[‘']\s*([^‘’']{{2,{_LONGEST}}}?)\s*[’']")
_DEFINES = re.compile(
    r"^\s*,?\s*(?:[:=–-]|means\b|has\b|have\b|is\b|are\b|refers? to\b|shall\b|as defined\b|\()", re.IGNORECASE
)
_OPENS = tuple("“\"„«‘'")


def defined_term(line: Line) -> str:
    """The term that a definition's first line defines, "" for a line that begins no definition.

    A term stands in quotes, curly or straight, or in bold before "means" or its like.
    """
    live = line.live
    text = line.text
    if text.startswith(_OPENS):
        match = _QUOTED.match(text) or _SINGLE.match(text)
        if match:
            return " ".join(match[1].split()).rstrip(",;:")
        if not live[1:] or not live[1].bold:
            return ""
        live = live[1:]
    plain = next((glyph for glyph in live if not glyph.bold), None)
    bold = live.index(plain) if plain is not None else len(live)
    term, rest = _split(line, plain)
    if bold >= 2 and len(term) <= _LONGEST and _DEFINES.match(rest.lstrip('”"“’ ')):
        return term.strip(' “”"‘’:,;')
    return ""


def _split(line: Line, plain: Glyph | None) -> tuple[str, str]:
    """The words before and from a glyph of a line, quotes off."""
    counted = [glyph for glyph in line.glyphs if not glyph.struck and not glyph.drop]
    place = next((index for index, glyph in enumerate(counted) if glyph is plain), len(counted))
    return words(counted[:place]).strip().lstrip("“\"„«‘'"), words(counted[place:])


def slug(text: str) -> str:
    """A term as part of an id: lower-case letters and digits joined by hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "text"
