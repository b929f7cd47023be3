"""What the colours of a regulation mean: read from the legend on its first page, by hue and never by one value."""

from __future__ import annotations

import colorsys
import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from pipelines.reading.fia.page import Glyph, Page

CHANGED = "changed"
GOVERNANCE = "governance"
REFERENCE = "reference"
COMMENT = "comment"

# Usual hues in degrees, for a document without a legend and for the colours that its legend leaves out.
_USUAL = {CHANGED: 300.0, GOVERNANCE: 0.0, REFERENCE: 38.0, COMMENT: 140.0}
_REACH = {CHANGED: 22.0, GOVERNANCE: 15.0, REFERENCE: 14.0, COMMENT: 45.0}
_LEAST_SATURATION = 0.35
_LEAST_VALUE = 0.3
_MEANINGS = (
    (CHANGED, re.compile(r"\bchang", re.IGNORECASE)),
    (GOVERNANCE, re.compile(r"\bgovernance\b", re.IGNORECASE)),
    (REFERENCE, re.compile(r"\breference\b", re.IGNORECASE)),
    (COMMENT, re.compile(r"\bcomments?\b|\bexplanation", re.IGNORECASE)),
)
_LABEL = re.compile(r"^\[?[A-Z][a-z]+ Text\]?\s*:?")
_UNCHANGED = re.compile(r"\bunchanged\b", re.IGNORECASE)


@dataclass(frozen=True)
class Palette:
    """The hue of each role, in degrees from 0 to 360."""

    hues: dict[str, float] = field(default_factory=dict)

    def role(self, color: int) -> str:
        """CHANGED, GOVERNANCE, REFERENCE or COMMENT for a colour 0xRRGGBB, "" for one that means nothing."""
        hue = _hue(color)
        if hue is None:
            return ""
        near = [(_apart(hue, own), role) for role, own in self.hues.items() if _apart(hue, own) <= _REACH[role]]
        if near:
            return min(near)[1]
        usual = [(_apart(hue, own), role) for role, own in _USUAL.items() if _apart(hue, own) <= _REACH[role]]
        return min(usual)[1] if usual else ""


def read_palette(pages: list[Page]) -> Palette:
    """The palette of a document, from the lines "Pink Text: Changes ..." of the legend on its first page."""
    hues: dict[str, float] = {}
    for label, meaning in _legend(pages[0]) if pages else ():
        hue = next((hue for glyph in label if (hue := _hue(glyph.color)) is not None), None)
        if hue is None or _UNCHANGED.search(meaning):
            continue
        role = next((role for role, pattern in _MEANINGS if pattern.search(meaning)), "")
        if role and role not in hues:
            hues[role] = hue
    return Palette(hues)


def _legend(page: Page) -> list[tuple[list[Glyph], str]]:
    """The legend's rows: the glyphs of the label and the words that tell its meaning, over its wrapped lines."""
    glyphs = sorted(
        (glyph for glyph in page.glyphs if glyph.drop == "cover_and_legend"), key=lambda glyph: glyph.baseline
    )
    rows: list[tuple[list[Glyph], str]] = []
    for _, group in groupby(glyphs, key=lambda glyph: round(glyph.baseline)):
        row = sorted(group, key=lambda glyph: glyph.x0)
        text = "".join(glyph.text for glyph in row).strip()
        match = _LABEL.match(text)
        if match:
            rows.append((row[: len(match[0])], text[match.end() :]))
        elif rows:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {text}")
    return rows


@lru_cache(maxsize=256)
def _hue(color: int) -> float | None:
    """The hue of a colour in degrees, None for a grey, a dark or a pale one."""
    red, green, blue = (color >> 16) / 255, (color >> 8 & 0xFF) / 255, (color & 0xFF) / 255
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    if saturation < _LEAST_SATURATION or value < _LEAST_VALUE:
        return None
    return hue * 360


def _apart(left: float, right: float) -> float:
    """The distance of two hues on the circle, in degrees."""
    apart = abs(left - right) % 360
    return min(apart, 360 - apart)
