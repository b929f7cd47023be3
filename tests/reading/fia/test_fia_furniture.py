"""Headers, footers, cover and contents on pages made by hand."""

from __future__ import annotations

from handmade import glyphs, page

from pipelines.reading.fia.furniture import drop_furniture
from pipelines.reading.fia.identity import Identity, identify
from pipelines.reading.fia.layers import drop_layers
from pipelines.reading.fia.page import Page


def regulation() -> list[Page]:
    """A cover with contents, then two pages of body, each with header, corner letter and footer."""
    front = [
        glyphs("Version: Issue 05", y=134),
        glyphs("CONTENTS:", y=300),
        [*glyphs("ARTICLE B1: ORGANISATION", y=330), *glyphs("2", x=548, y=330)],
        [*glyphs("B1.1 General 2026-2030", y=350), *glyphs("3", x=548, y=350)],
    ]
    pages = [front, [glyphs("ARTICLE B1: ORGANISATION", y=82)], [glyphs("12", x=42, y=765), glyphs("words", y=90)]]
    made = []
    for number, body in enumerate(pages, 1):
        furniture = [
            glyphs("SECTION B: SPORTING REGULATIONS", x=42, y=41),
            glyphs("B", x=527, y=48, size=28),
            glyphs("2026 Formula 1: Sporting Regulations", x=53, y=792, size=9),
            glyphs("©2026 Fédération Internationale de l’Automobile", x=53, y=803, size=9),
            glyphs("27 February 2026", x=421, y=792, size=9),
            glyphs("Issue 05", x=456, y=803, size=9),
            glyphs(f"B{number}", x=516, y=799, size=14),
        ]
        made.append(page(*furniture, *body, number=number))
    return made


def kept(pages: list[Page]) -> list[str]:
    return ["".join(glyph.text for glyph in made.glyphs if not glyph.drop) for made in pages]


def named(made: Page, name: str) -> str:
    return "".join(glyph.text for glyph in made.glyphs if glyph.drop == name)


def test_only_the_body_is_left():
    pages = regulation()
    drop_furniture(pages)
    assert kept(pages) == ["", "ARTICLE B1: ORGANISATION", "12words"]


def test_each_part_has_its_name():
    pages = regulation()
    drop_furniture(pages)
    assert named(pages[0], "cover_and_legend") == "Version: Issue 05"
    assert named(pages[0], "contents").startswith("CONTENTS:ARTICLE B1")
    assert named(pages[1], "header") == "SECTION B: SPORTING REGULATIONSB"
    assert named(pages[1], "footer").endswith("Issue 05B2")


def test_a_body_line_in_the_footers_band_stays():
    pages = regulation()
    drop_furniture(pages)
    assert "12" in kept(pages)[2]


def test_the_pages_say_what_they_are():
    pages = regulation()
    drop_furniture(pages)
    assert identify(pages) == Identity("B", "SPORTING REGULATIONS", "05", "2026-02-27", "2026")


def test_an_older_document_is_known_by_its_subject():
    made = [
        page(
            glyphs("2025 Formula 1 Sporting Regulations", x=53, y=792), glyphs("©2025 FIA", x=53, y=803), number=number
        )
        for number in (1, 2)
    ]
    drop_furniture(made)
    found = identify(made)
    assert found is not None
    assert (found.section, found.season) == ("B", "2025")


def test_other_pages_are_no_regulation():
    pages = [page(glyphs("Minutes of the board", y=100))]
    drop_furniture(pages)
    assert identify(pages) is None


def test_copies_and_hidden_glyphs_and_dotted_blanks_are_dropped():
    twice = page(glyphs("Table"), glyphs("Table", x=92.2), glyphs("Name …………", y=130))
    twice.glyphs[0].hidden = True
    drop_layers(twice)
    assert "".join(glyph.text for glyph in twice.glyphs if not glyph.drop) == "ableTName "
