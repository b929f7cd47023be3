"""The words of a cell: its glyphs as one line of text."""

from __future__ import annotations

from operator import attrgetter

from pipelines.reading.fia.page import Glyph

# In parts of the type size: a gap this wide is a space though none is printed; a baseline this far off is another line;
# a smaller glyph whose baseline stands this much higher is raised.
_GAP = 0.25
_LINE = 0.6
_RAISED = 0.2
_SMALLER = 0.8
# No space stands before these, whatever struck words stood there.
_CLOSING = frozenset(",.;:)]%’'")
# Ticks and crosses of symbol fonts, whose codes mean nothing outside their font.
_SYMBOLS = str.maketrans({"\uf0fb": "✗", "\uf0fc": "✓", "\uf0b7": "•"})
# A raised number after a word, as of a note or a power, and the raised o of a degree.
_SUPERSCRIPTS = str.maketrans("0123456789+-−o", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻º")


def cell_text(glyphs: list[Glyph]) -> str:
    """The text in force of a cell's glyphs in reading order, struck ones among them, white space folded.

    A line that the layout wraps ends in a printed space (which may be struck with the word before it). One that ends
    without breaks inside a word too long for its column, and the halves are joined. A raised number that follows a
    word directly (10⁶, a note's number) is written raised, or it would change what it follows; NFKC undoes it.
    """
    parts: list[str] = []
    last: Glyph | None = None  # the last glyph, struck or not
    base = _first_base(glyphs)  # what a raised glyph is measured by: the last one in force that is not raised
    gap = False  # a wrapped line, a wide gap or a struck space lies between the last written glyph and the next
    cut = False  # something struck lies between them
    for glyph in glyphs:
        if last is not None:
            gap = gap or _apart(last, glyph)
        if glyph.struck:
            cut, gap = True, gap or glyph.raw.isspace()
        else:
            if cut and glyph.text in _CLOSING:
                while parts and parts[-1].isspace():
                    parts.pop()
            elif gap:
                parts.append(" ")
            # A space that follows the struck words must not hide them from the mark behind it.
            cut, gap = cut and glyph.raw.isspace(), False
            raised = base is not None and _is_raised(base, glyph)
            # After a space or a bracket a number stands apart already.
            apart = glyph.text != "o" and (not parts or parts[-1].isspace() or parts[-1] == "(")
            parts.append(glyph.text.translate(_SUPERSCRIPTS if raised and not apart else _SYMBOLS))
            if not raised and not glyph.raw.isspace():
                base = glyph
        # The second half of a ligature has no width and marks no place.
        if last is None or glyph.x1 - glyph.x0 > 0.01 or not glyph.upright:
            last = glyph
    return " ".join("".join(parts).split())


def _first_base(glyphs: list[Glyph]) -> Glyph | None:
    """The largest glyph of the first line in force, which may begin with raised ones."""
    inked = [glyph for glyph in glyphs if not glyph.struck and not glyph.raw.isspace()]
    line = [glyph for glyph in inked if abs(glyph.baseline - inked[0].baseline) < _LINE * glyph.size]
    return max(line, key=attrgetter("size"), default=None)


def _is_raised(before: Glyph, glyph: Glyph) -> bool:
    return (
        before.upright
        and glyph.upright
        and glyph.size <= _SMALLER * before.size
        and _RAISED * before.size <= before.baseline - glyph.baseline < _LINE * before.size
    )


def _apart(left: Glyph, right: Glyph) -> bool:
    """True when white space lies between two glyphs that follow one another: a wrapped line's end or a wide gap."""
    if left.upright and right.upright:
        size = max(left.size, right.size)
        if abs(right.baseline - left.baseline) < _LINE * size and right.x0 >= left.x0:
            return right.x0 - left.x1 > _GAP * size
    elif left.upright == right.upright and right.x0 < left.x1 and right.y1 <= left.y1:
        return False
    return left.raw.isspace()
