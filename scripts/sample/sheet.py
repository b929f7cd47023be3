"""What stands on a page before it is written: text, boxes, outlines and pictures, in PDF points from the top."""

from __future__ import annotations

from dataclasses import dataclass, field

from scripts.sample import fonts
from scripts.sample.markup import REPLACED, Run

NAVY, BLACK, WHITE = 0x002D5F, 0x000000, 0xFFFFFF
_TONES = {
    "black": BLACK,
    "navy": NAVY,
    "white": WHITE,
    "changed": 0xFF00FF,
    "document": 0xFF9900,
    "comment": 0x00B050,
    "omission": 0xA6A6A6,
}


@dataclass(frozen=True, slots=True)
class Look:
    """How a character is drawn, and ``place``: the name of its drop in the account of characters, or "clause"."""

    face: str
    size: float
    color: int
    place: str
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one look on one baseline; ``spread`` widens each space."""

    x: float
    baseline: float
    text: str
    look: Look
    spread: float = 0.0


@dataclass(frozen=True, slots=True)
class Outline:
    """A polygon, filled or stroked with one colour; ``width`` 0 fills it."""

    points: tuple[tuple[float, float], ...]
    color: int
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Box:
    """A filled box; a ruled line is a thin one, as in the FIA's PDFs."""

    x0: float
    y0: float
    x1: float
    y1: float
    color: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A grey picture of ``columns`` by ``rows`` bytes, and the box it fills."""

    box: Box
    columns: int
    rows: int
    samples: bytes


@dataclass(slots=True)
class Sheet:
    """A page: its shapes are drawn first, in order, then its text."""

    number: int
    pieces: list[Piece] = field(default_factory=list)
    shapes: list[Box | Outline | Picture] = field(default_factory=list)

    def box(self, x0: float, y0: float, x1: float, y1: float, color: int) -> None:
        """Fill a box."""
        self.shapes.append(Box(x0, y0, x1, y1, color))

    def text(self, x: float, baseline: float, text: str, look: Look) -> None:
        """Write a piece of text."""
        self.pieces.append(Piece(x, baseline, text, look))


Characters = list[tuple[str, Look]]


@dataclass(frozen=True, slots=True)
class Style:
    """A section's habits: leading, wrong ligature characters by face, faces of terms, colour of governance lines."""

    head: dict[str, str]

    def ff(self, face: str) -> str:
        """The wrong character that "ff" is read as in a face, "" where the section has no ligatures."""
        ff = self.head.get("ff", "")
        return self.head.get("ff_bold", ff) if face == "bold" else ff

    @property
    def lead(self) -> float:
        """Points from one line to the next."""
        return float(self.head.get("lead", "15.36"))

    @property
    def governance(self) -> int:
        """The red of the governance lines."""
        return int(self.head.get("red", "c00000"), 16)

    def look(self, run: Run, size: float, place: str, tone: str = "black", bold: bool = False) -> Look:
        """The look of a run; ``tone`` and ``bold`` are what its block gives to unmarked text."""
        term = self.head.get("terms", "italic") if run.term else "regular"
        face = "bold" if run.bold or bold else term
        if run.tone in ("comment", "governance"):
            face = "italic"
            place = place if REPLACED.match(run.text) else run.tone
        color = self.governance if run.tone == "governance" else _TONES[tone if run.tone == "black" else run.tone]
        return Look(face, size, color, "struck" if run.struck else place, run.struck)

    def characters(
        self, runs: list[Run], size: float, place: str, tone: str = "black", bold: bool = False
    ) -> Characters:
        """The characters of runs with their looks, ligatures set, a blank at the end as the FIA's paragraphs have."""
        result: Characters = []
        for run in runs:
            look = self.look(run, size, place, tone, bold)
            result += [(character, look) for character in fonts.ligate(run.text, self.ff(look.face))]
        if result:
            last = result[-1][1]
            result.append((" ", Look(last.face, last.size, last.color, place)))
        return result


def measure(characters: Characters) -> float:
    """The width of characters in points."""
    return sum(fonts.width(look.face, character, look.size) for character, look in characters)


def lines(characters: Characters, width: float) -> list[Characters]:
    """Break characters into lines no wider than ``width``; each keeps the blank that it was broken at."""
    result: list[Characters] = []
    start = blank = 0
    room = width
    for index, (character, look) in enumerate(characters):
        room -= fonts.width(look.face, character, look.size)
        if character == " ":
            blank = index + 1
        elif room < 0 and blank > start:
            result.append(characters[start:blank])
            start = blank
            room = width - measure(characters[start : index + 1])
    if start < len(characters):
        result.append(characters[start:])
    return result


def write(sheet: Sheet, characters: Characters, x: float, baseline: float, spread: float = 0.0) -> None:
    """Write one line on a sheet, with a rule through what is struck out."""
    start = 0
    for end in range(1, len(characters) + 1):
        if end < len(characters) and characters[end][1] == characters[start][1]:
            continue
        text, look = "".join(character for character, _ in characters[start:end]), characters[start][1]
        sheet.pieces.append(Piece(x, baseline, text, look, spread))
        wide = fonts.width(look.face, text, look.size) + spread * text.count(" ")
        if look.struck:
            _strike(sheet, x, x + wide, baseline, look)
        x += wide
        start = end


def _strike(sheet: Sheet, x0: float, x1: float, baseline: float, look: Look) -> None:
    # The FIA's PDFs draw two thin filled boxes over a deletion that Word tracked, and one over plain strike-out.
    heights = (0.305, 0.391) if look.color == _TONES["changed"] else (0.32,)
    for height in heights:
        top = baseline - height * look.size
        sheet.box(x0, top, x1 - 0.15, top + 0.48, look.color)
