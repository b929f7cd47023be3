"""The page as the reader sees it: glyphs and ruled lines in page space, before any meaning is given to them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Glyph:
    """One character drawn on a page. Boxes are PDF points from the top left corner of the unrotated page.

    ``raw`` is the character as the text layer has it, ``text`` the mended one: "" for a glyph that only repeats
    another, "ff" for a ligature. ``drop`` names why a glyph is in no clause; "" while it is in one.
    """

    raw: str
    text: str
    page: int  # 1-based
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    font: str
    size: float
    bold: bool
    italic: bool
    color: int  # 0xRRGGBB
    struck: bool
    glyph_id: int = -1
    drop: str = ""
    upright: bool = True  # False for text set at an angle, as on drawings
    hidden: bool = False  # True for text that is not painted, as behind a scan


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight horizontal or vertical stroke (or thin filled rectangle) of a page, with its colour."""

    x0: float
    y0: float
    x1: float
    y1: float
    color: int
    width: float

    @property
    def horizontal(self) -> bool:
        """True for a rule that runs from left to right."""
        return abs(self.x1 - self.x0) >= abs(self.y1 - self.y0)


@dataclass(slots=True)
class Page:
    """A page's glyphs in content order, its rules, and the boxes of its images and drawings."""

    number: int  # 1-based
    width: float
    height: float
    glyphs: list[Glyph]
    rules: list[Rule] = field(default_factory=list)
    fills: list[tuple[float, float, float, float, int]] = field(default_factory=list)  # shaded boxes with colour
    images: list[tuple[float, float, float, float]] = field(default_factory=list)
    drawings: list[tuple[float, float, float, float]] = field(default_factory=list)  # curves and slanted lines
