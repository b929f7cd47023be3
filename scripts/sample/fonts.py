"""The sample's fonts: FiraGO (SIL Open Font License 1.1), subset, with the ligatures that the FIA's PDFs have.

Each face becomes a simple TrueType font as macOS writes it: one byte a glyph, a text map of its own. The glyph of
"ff" has its own code and is as wide as two f, but the text map may give it a wrong character, as in the FIA's PDFs.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import cache

import pymupdf_fonts
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

FF, FI = "\ue000", "\ufb01"
_FACES = {"regular": "figo", "bold": "figbo", "italic": "figit", "bolditalic": "figbi"}
_NAMES = {"regular": "FiraGO", "bold": "FiraGO-Bold", "italic": "FiraGO-Italic", "bolditalic": "FiraGO-BoldItalic"}
_UNITS = 1000


def _open(face: str) -> TTFont:
    font = TTFont(io.BytesIO(pymupdf_fonts.myfont(_FACES[face])), recalcTimestamp=False, lazy=True)
    metrics = font["hmtx"].metrics
    metrics["f_f"] = (2 * metrics["f"][0], metrics["f_f"][1])
    return font


_font = cache(_open)


def _glyph(face: str, character: str) -> str:
    if character == FF:
        return "f_f"
    return str(_font(face).getBestCmap()[ord(character)])


def width(face: str, text: str, size: float) -> float:
    """The width of a text in points; ligatures must already stand in it."""
    metrics = _font(face)["hmtx"].metrics
    return float(sum(metrics[_glyph(face, character)][0] for character in text)) * size / _UNITS


def ligate(text: str, ff: str) -> str:
    """Put the ligatures into a text, where the section has them: ``ff`` is the wrong character of its text map."""
    return text.replace("ff", FF).replace("fi", FI) if ff else text


@dataclass(slots=True)
class Face:
    """A face as one document uses it: the codes of its characters, in order of first use."""

    face: str
    ff: str = ""
    codes: dict[str, int] = field(default_factory=lambda: {" ": 32})

    @property
    def name(self) -> str:
        """The PostScript name with a subset tag."""
        return f"SAMPLE+{_NAMES[self.face]}"

    def encode(self, text: str) -> bytes:
        """The codes of a text, one byte a glyph."""
        for character in text:
            if character not in self.codes:
                plain = ord(character)
                self.codes[character] = plain if 32 < plain < 127 else 128 + sum(c > 127 for c in self.codes.values())
        return bytes(self.codes[character] for character in text)

    def widths(self) -> list[int]:
        """The advance of each code from 0 to 255, in thousandths of the size."""
        advances = [0] * 256
        for character, code in self.codes.items():
            advances[code] = _font(self.face)["hmtx"].metrics[_glyph(self.face, character)][0]
        return advances

    def program(self) -> bytes:
        """The subset TrueType file, whose (1, 0) and (3, 0) maps take the codes."""
        font = _open(self.face)
        for tag in ("GDEF", "GSUB", "GPOS", "DSIG", "STAT"):
            if tag in font:
                del font[tag]
        glyphs = {code: _glyph(self.face, character) for character, code in self.codes.items()}
        options = subset.Options(hinting=False, layout_features=[], name_IDs=[1, 2, 6, 13], notdef_outline=True)
        subsetter = subset.Subsetter(options)
        subsetter.populate(glyphs=sorted(set(glyphs.values())))
        subsetter.subset(font)
        font["cmap"].tables = [_cmap(1, glyphs), _cmap(3, {0xF000 + code: name for code, name in glyphs.items()})]
        result = io.BytesIO()
        font.save(result)
        return result.getvalue()

    def to_unicode(self) -> bytes:
        """The text map: what each code is read as, the wrong character of "ff" included."""
        pairs = [
            f"<{code:02x}> <{ord(self.ff if character == FF else character):04x}>"
            for character, code in sorted(self.codes.items(), key=lambda item: item[1])
        ]
        parts = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
        maps = "\n".join(f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts)
        return (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
            "/CMapName /Sample def /CMapType 2 def\n1 begincodespacerange <00> <ff> endcodespacerange\n"
            f"{maps}\nendcmap CMapName currentdict /CMap defineresource pop end end\n"
        ).encode("ascii")

    def bounds(self) -> tuple[int, int, int, int, int, int]:
        """The font box, ascent and descent, in thousandths of the size."""
        head, hhea = _font(self.face)["head"], _font(self.face)["hhea"]
        return head.xMin, head.yMin, head.xMax, head.yMax, hhea.ascent, hhea.descent


def _cmap(platform: int, mapping: dict[int, str]) -> CmapSubtable:
    table = CmapSubtable.newSubtable(4 if platform == 3 else 0)
    table.platformID, table.platEncID, table.language = platform, 0, 0
    table.cmap = mapping
    return table
