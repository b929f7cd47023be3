"""Ligatures mended glyph by glyph.

Some fonts draw "ff" or "ti" with a glyph that the text layer maps to another character ("egect", "o`icial"). Such a
glyph gives itself away: it has a glyph id of its own beside the character's true one, or a sign that stands between
letters everywhere, and it is as wide as the letters it stands for. Only where two ligatures fit the width does the
document's own vocabulary choose between them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from pipelines.reading.fia.page import Glyph, Page

LIGATURES = ("ff", "fi", "fl", "ffi", "ffl", "ft", "tt", "ti", "tf", "fj", "fft", "tti")
_PRESENTATION = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st"}
# Symbols of the Wingdings private area that have a character of their own.
_SYMBOLS = {"\uf0fb": "✗", "\uf0fc": "✓", "\uf0a7": "▪", "\uf0b7": "•"}
# Widths are parts of the font size. A ligature may be drawn a little tighter than its letters (LOOSE).
_SAME = 0.004
_LOOSE = 0.03
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(slots=True)
class _Use:
    """How one glyph id of one font is used: its widths and the places where it stands."""

    char: str
    widths: list[float] = field(default_factory=list)
    places: list[tuple[Sequence[Glyph], int]] = field(default_factory=list)

    @property
    def width(self) -> float:
        return median(self.widths)


def mend(pages: Iterable[Page]) -> int:
    """Set the ``text`` of every ligature glyph to the letters it draws.

    Returns:
        The number of glyphs whose character was a wrong one (U+FB0x expansions are not counted).
    """
    pages = list(pages)
    uses: dict[str, dict[int, _Use]] = defaultdict(dict)
    for page in pages:
        for index, glyph in enumerate(page.glyphs):
            raw = glyph.raw
            if raw in _PRESENTATION:
                glyph.text = _PRESENTATION[raw]
            elif raw in _SYMBOLS:
                glyph.text = _SYMBOLS[raw]
            if glyph.glyph_id < 0 or glyph.size <= 0 or raw.isspace():
                continue
            # One glyph id draws one character, but two subsets of a font may share an id: the character is in the key.
            use = uses[glyph.font].setdefault(glyph.glyph_id * 0x110000 + ord(raw), _Use(raw))
            use.widths.append((glyph.x1 - glyph.x0) / glyph.size)
            use.places.append((page.glyphs, index))
    suspects = [(use, letters) for font in uses.values() for use, letters in _suspects(font)]
    if not suspects:
        return 0
    vocabulary = _vocabulary(pages, {id(glyphs[index]) for use, _ in suspects for glyphs, index in use.places})
    mended = 0
    for use, fits in suspects:
        letters = _choose(use, fits, vocabulary)
        for glyphs, index in use.places if letters else ():
            glyphs[index].text = letters
            mended += 1
    return mended


def _suspects(font: dict[int, _Use]) -> Iterable[tuple[_Use, dict[str, float]]]:
    """The glyphs of a font that may be ligatures under a wrong character, with the ligatures of about their width."""
    by_char: dict[str, list[_Use]] = defaultdict(list)
    for use in font.values():
        by_char[use.char].append(use)
    letter = {char: max(uses, key=lambda use: len(use.widths)).width for char, uses in by_char.items()}
    sums = {
        ligature: sum(letter[char] for char in ligature)
        for ligature in LIGATURES
        if all(char in letter for char in ligature)
    }
    for char, uses in by_char.items():
        if char in _PRESENTATION:
            continue
        reference = _reference(uses, sums)
        for use in uses:
            alone = len(uses) == 1 or use is reference
            if alone and (char.isalpha() or not _between_letters(use)):
                continue
            if not alone and abs(use.width - reference.width) <= _SAME:
                continue
            if _spelled_out(use):
                continue
            fits = {name: abs(use.width - total) for name, total in sums.items() if abs(use.width - total) <= _LOOSE}
            if fits:
                yield use, fits


def _reference(uses: list[_Use], sums: dict[str, float]) -> _Use:
    """The glyph that draws a character truly: the usual one, or, where none is, the one least like a ligature."""
    usual = max(uses, key=lambda use: len(use.widths))
    others = sum(len(use.widths) for use in uses if abs(use.width - usual.width) > _SAME)
    if len(usual.widths) >= 3 * others:
        return usual
    return max(uses, key=lambda use: _fit(use.width, sums))


def _fit(width: float, sums: dict[str, float]) -> float:
    return min((abs(width - total) for total in sums.values()), default=1.0)


def _between_letters(use: _Use) -> bool:
    """True when most places of a sign are inside a word, as no sign of its own would be."""
    inside = sum(_neighbour(place, -1).isalpha() and _neighbour(place, 1).isalpha() for place in use.places)
    return inside * 2 > len(use.places)


def _neighbour(place: tuple[Sequence[Glyph], int], step: int) -> str:
    """The character drawn right beside a glyph on its line, "" at a gap."""
    glyphs, index = place
    here = glyphs[index]
    if not 0 <= index + step < len(glyphs):
        return ""
    other = glyphs[index + step]
    gap = other.x0 - here.x1 if step > 0 else here.x0 - other.x1
    near = abs(other.baseline - here.baseline) < 1 and abs(gap) < 0.2 * here.size
    return other.raw if near else ""


def _spelled_out(use: _Use) -> bool:
    """True when the text layer gives the ligature's other letters as glyphs without an id, right after it."""
    return all(
        index + 1 < len(glyphs) and glyphs[index + 1].glyph_id < 0 and not glyphs[index + 1].raw.isspace()
        for glyphs, index in use.places
    )


def _vocabulary(pages: Iterable[Page], suspect: set[int]) -> Counter[str]:
    """The words of the document that hold no suspect glyph, in lower case, with their counts."""
    words: Counter[str] = Counter()
    for page in pages:
        text = "".join(" " if id(glyph) in suspect else glyph.text for glyph in page.glyphs)
        words.update(word.lower() for word in _WORD.findall(text))
    return words


def _choose(use: _Use, fits: dict[str, float], vocabulary: Counter[str]) -> str:
    """The ligature a glyph stands for: the one that makes known words, then the one nearest in width; "" for none."""
    known = {
        ligature: sum(word in vocabulary for word in (_word(place, ligature) for place in use.places))
        for ligature in fits
    }
    best = min(fits, key=lambda ligature: (-known[ligature], fits[ligature]))
    certain = fits[best] <= 2 * _SAME or known[best] > 0
    inside_words = any(_neighbour(place, -1).isalpha() or _neighbour(place, 1).isalpha() for place in use.places)
    return best if certain and inside_words else ""


def _word(place: tuple[Sequence[Glyph], int], ligature: str) -> str:
    """The word around a glyph with the glyph read as ``ligature``, in lower case."""
    glyphs, index = place
    first = last = index
    while first > 0 and glyphs[first - 1].raw.isalpha():
        first -= 1
    while last + 1 < len(glyphs) and glyphs[last + 1].raw.isalpha():
        last += 1
    before = "".join(glyph.text for glyph in glyphs[first:index])
    after = "".join(glyph.text for glyph in glyphs[index + 1 : last + 1])
    return (before + ligature + after).lower()
