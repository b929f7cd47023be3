"""What stands around the law on the FIA's pages: header, corner letter, footer, cover, colour legend, contents."""

from __future__ import annotations

from datetime import date

from scripts.sample import fonts
from scripts.sample.markup import Block, Run
from scripts.sample.sheet import BLACK, NAVY, WHITE, Characters, Look, Outline, Sheet, Style, lines, write

OWNER = "Invented for TechReg Analyst: a sample, not the FIA’s"
_STRIPES = {"A": 0xB08D57, "B": 0x0000FF, "C": 0xF59B2D, "D": 0x6A1B7A, "E": 0x2D8C4A, "F": 0xA6A6A6}
_STEP, _TOP, _LAST = 12.9, 364.6, 762.0


def long_date(head: dict[str, str]) -> str:
    """The document's date as the footer prints it, 20 February 2026."""
    day = date.fromisoformat(head["date"])
    months = "January February March April May June July August September October November December".split()
    return f"{day.day} {months[day.month - 1]} {day.year}"


def frame(sheet: Sheet, head: dict[str, str]) -> None:
    """Draw a page's header line, corner letter and footer."""
    letter = head["section"]
    _slant(sheet, 488.6, 15.1, 57.6, 80.5, _STRIPES[letter])
    _slant(sheet, 494.5, 15.0, 57.5, 74.6, NAVY)
    sheet.shapes.append(Outline(((49.9, 780.3), (552.4, 780.3), (544.7, 808.6), (42.2, 808.6)), NAVY, 1.0))
    sheet.shapes.append(Outline(((503.4, 780.3), (553.1, 780.3), (545.3, 808.5), (495.7, 808.5)), NAVY))
    sheet.text(42.5, 41.5, f"SECTION {letter}: {head['title']} ", Look("regular", 13.92, NAVY, "header"))
    sheet.text(42.5, 797.0, " ", Look("regular", 11.04, BLACK, "footer"))
    # The FIA's corner box holds a white nought, hidden under the letter.
    sheet.text(527.0, 48.2, "0  ", Look("regular", 28.08, NAVY, "header"))
    sheet.text(526.6, 49.4, f"{letter} ", Look("regular", 36.0, WHITE, "header"))
    small = Look("regular", 9.12, NAVY, "footer")
    label = f"{letter}{sheet.number} "
    white = Look("regular", 13.92, WHITE, "footer")
    sheet.text(525.5 - fonts.width("regular", label, 13.92) / 2, 799.7, label, white)
    sheet.text(53.3, 792.0, f"{head['season']} Formula 1 Sample: {head['footer']} ", small)
    sheet.text(53.3, 803.0, f"©{head['date'][:4]} {OWNER} ", small)
    for baseline, text in ((791.8, f"{long_date(head)} "), (802.8, f"Issue {head['issue']} ")):
        sheet.text(489.8 - fonts.width("regular", text, 9.12), baseline, text, small)


def cover(head: dict[str, str], style: Style, blocks: list[Block]) -> list[Sheet]:
    """The cover: title bar, version box, legend, and the contents list over as many pages as it needs."""
    sheet = Sheet(1)
    plain, bold = (Look(face, 11.04, BLACK, "cover_and_legend") for face in ("regular", "bold"))
    title = f"SECTION {head['section']}: {head['title']} "
    sheet.box(35.0, 71.8, 560.2, 105.8, 0x0033CC)
    _lined(sheet, 35.0, 71.8, 560.2, 105.8)
    _lined(sheet, 37.0, 122.6, 558.2, 178.8)
    middle = 297.6 - fonts.width("bold", title, 18.0) / 2
    sheet.text(middle, 94.8, title, Look("bold", 18.0, WHITE, "cover_and_legend"))
    day = date.fromisoformat(head["date"]).strftime("%d/%m/%Y")
    status = "SAMPLE: an invented regulation, not the FIA’s "
    rows = (("Version: ", f"Issue {head['issue']} "), ("Status:  ", status), ("Date:  ", f"{day} "))
    for index, (name, value) in enumerate((*rows, ("Council approval date:  ", f"{day} "))):
        sheet.text(42.5, 134.2 + 13.4 * index, name, plain)
        sheet.text(186.5, 134.2 + 13.4 * index, value, plain)
    sheet.text(42.5, 205.7, "CONVENTION: ", Look("bold", 12.0, BLACK, "cover_and_legend"))
    _legend(sheet, head, style, plain)
    sheet.text(42.5, 336.7, "CONTENTS: ", Look("bold", 12.0, BLACK, "contents"))
    return _contents(sheet, blocks, style, bold)


def _legend(sheet: Sheet, head: dict[str, str], style: Style, plain: Look) -> None:
    name = f"{head['season']} F1 Sample Regulations - Section {head['section']} [{head['name']}]"
    before = f"{name} – Iss {head['before']}"
    entries = (
        ("Black Text", "regular", BLACK, f"Text unchanged from {before} "),
        ("Pink Text", "regular", 0xFF00FF, f"Changes relative to {before}, approved by the Council "),
        ("[Red Text]", "italic", style.governance, "Information on applicable Governance and relevant Committee "),
        ("[Orange Text]", "italic", 0xFF9900, "Reference information on relevant documents of the Authority "),
        ("[Green Text]", "italic", 0x00B050, "Comments and explanations: non-binding and non-regulatory "),
    )
    y = 227.5
    for label, face, color, meaning in entries:
        write(sheet, [(character, Look(face, 11.04, color, "cover_and_legend")) for character in label], 42.5, y)
        sheet.text(42.5 + fonts.width(face, label, 11.04), y, ": ", plain)
        for line in lines([(character, plain) for character in meaning], 441.0):
            write(sheet, line, 121.0, y)
            y += 14.0


def _contents(sheet: Sheet, blocks: list[Block], style: Style, bold: Look) -> list[Sheet]:
    sheets, y, later = [sheet], 0.0, False
    for block in blocks:
        wide = block.kind in ("article", "appendix")
        year = block.kind == "heading" and bool(block.id)
        if not (wide or block.kind == "sub-article" or year) or (later and not year):
            continue
        later = later or year
        y = y + (19.0 if wide else _STEP) if y else _TOP
        if y > _LAST:
            sheets.append(Sheet(sheets[-1].number + 1))
            y = 80.2
        page = str(min(block.pages, default=1))
        if wide:
            name = "ARTICLE " + block.id if block.kind == "article" else block.id.replace("APP", "APPENDIX")
            _entry(
                sheets[-1], style.characters([Run(f"{name}: "), *block.title], 11.04, "contents", bold=True), 42.5, y
            )
            sheets[-1].box(41.0, y + 4.0, 554.2, y + 4.5, BLACK)
        else:
            if block.number:
                _entry(sheets[-1], style.characters(block.number, 10.08, "contents"), 56.7, y)
            _entry(sheets[-1], style.characters(block.title, 10.08, "contents"), 99.2 if block.number else 56.7, y)
        struck = bool(block.number) and all(run.struck for run in block.number)
        size = 11.04 if wide else 10.08
        run = Run(page, tone="changed" if struck else "black", struck=struck)
        number = style.characters([run], size, "contents", bold=wide)
        _entry(sheets[-1], number, 552.2 - fonts.width("bold" if wide else "regular", page, size), y)
        y += 3.0 if wide else 0.0
    return sheets


def _entry(sheet: Sheet, characters: Characters, x: float, y: float) -> None:
    for line in lines(characters, 490.0):
        write(sheet, line, x, y)


def _slant(sheet: Sheet, x: float, top: float, bottom: float, width: float, color: int) -> None:
    lean = 11.6
    points = ((x, bottom), (x + lean, top), (x + lean + width, top), (x + width, bottom))
    sheet.shapes.append(Outline(points, color))


def _lined(sheet: Sheet, x0: float, y0: float, x1: float, y1: float) -> None:
    for box in ((x0, y0, x1, y0 + 0.5), (x0, y1 - 0.5, x1, y1), (x0, y0, x0 + 0.5, y1), (x1 - 0.5, y0, x1, y1)):
        sheet.box(*box, BLACK)
