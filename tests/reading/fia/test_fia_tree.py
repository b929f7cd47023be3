"""Lines sorted under articles, terms and subheadings."""

from __future__ import annotations

from handmade import full, glyphs, line

from pipelines.reading.fia.lines import Line
from pipelines.reading.fia.tree import Tree

NAVY = 0x002D5F


class Script:
    """Lines down a page, a paragraph's step apart."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._y = 80.0

    def add(self, *runs: list) -> Script:
        self._y += 20
        made = [glyph for run in runs for glyph in run]
        for glyph in made:
            shift = self._y - 100
            glyph.y0, glyph.y1, glyph.baseline = glyph.y0 + shift, glyph.y1 + shift, self._y
        self.lines.append(Line(1, self._y, made, 553))
        return self

    def heading(self, text: str) -> Script:
        return self.add(glyphs(text, x=42, bold=True, color=NAVY))

    def numbered(self, number: str, text: str, *, bold: bool = False) -> Script:
        return self.add(glyphs(number, x=42, bold=True), glyphs(text, x=92, bold=bold))

    def words(self, text: str, x: float = 92) -> Script:
        return self.add(glyphs(text, x=x))


def tree(script: Script, letter: str = "C", *, lettered: bool = True) -> Tree:
    return Tree(script.lines, letter=letter, lettered=lettered)


def articles(found: Tree) -> list[str]:
    return [block.article for block in found.blocks]


def test_headings_and_clauses():
    script = Script().heading("ARTICLE C3: AERODYNAMICS").numbered("C3.1", "General Principles", bold=True)
    script.numbered("C3.1.1", "The car must stop.").words("It may not start.")
    found = tree(script)
    assert articles(found) == ["C3", "C3.1", "C3.1.1"]
    assert [block.title for block in found.blocks] == ["AERODYNAMICS", "General Principles", ""]
    assert found.blocks[2].path == (("C3", "AERODYNAMICS"), ("C3.1", "General Principles"))
    assert [made.text for made in found.blocks[2].lines] == ["The car must stop.", "It may not start."]


def test_a_reference_at_the_start_of_a_line_opens_nothing():
    script = Script().numbered("C3.1.1", "See").words("C3.10.10 and C3.11.6 of these.").words("Appendix C4 says so.")
    script.words("C5.1.2 is one too.", x=42)
    found = tree(script)
    assert articles(found) == ["C3.1.1"]
    assert found.references == [("C3.10.10", 1), ("C5.1.2", 1)]


def test_a_number_that_is_not_bold_opens_a_clause_before_a_tab():
    script = Script()
    for number in ("5.2.1", "5.2.2"):
        script.add(glyphs(number, x=42), glyphs("Words of the law.", x=92))
    assert articles(tree(script, "B", lettered=False)) == ["5.2.1", "5.2.2"]


def test_articles_without_letters():
    script = Script().heading("ARTICLE 5: RACE").numbered("5.2.3", "The race starts.")
    assert articles(tree(script, "B", lettered=False)) == ["5", "5.2.3"]


def test_definitions_are_one_each():
    script = Script().heading("APPENDIX D1: DEFINITIONS").words("In these words:", x=42)
    script.words("“Car” means a car.", x=42).words("“Driver” means:", x=42).words("a. a person", x=92)
    found = tree(script, "D")
    assert [(block.article, block.term) for block in found.blocks] == [
        ("APP D1", ""),
        ("APP D1", "Car"),
        ("APP D1", "Driver"),
    ]
    assert [made.text for made in found.blocks[2].lines] == ["“Driver” means:", "a. a person"]


def test_changes_for_a_later_year_repeat_ids():
    script = Script().heading("ARTICLE B9: PERSONNEL").numbered("B9.2.1", "Sixty persons.")
    script.heading("APPENDIX B1: DEFINITIONS").words("“Car” means a car.", x=42)
    script.heading("APPENDIX B5: APPROVED CHANGES FOR SUBSEQUENT YEARS").heading("Changes for 2027")
    script.heading("ARTICLE B9: PERSONNEL").numbered("B9.2.1", "Fifty persons.")
    script.heading("APPENDIX B1: DEFINITIONS").words("“Car” means a new car.", x=42)
    script.heading("Changes for 2028").heading("ARTICLE B9: PERSONNEL").numbered("B9.2.1", "Forty persons.")
    script.heading("APPENDIX B6: FORMS").words("Fill it in.", x=42)
    found = [(block.article, block.term, block.year) for block in tree(script, "B").blocks if block.lines]
    assert found == [
        ("B9.2.1", "", ""),
        ("APP B1", "Car", ""),
        ("B9.2.1", "", "2027"),
        ("APP B1", "Car", "2027"),
        ("B9.2.1", "", "2028"),
        ("APP B6", "", ""),
    ]


def test_the_path_of_a_later_year_goes_over_its_appendix():
    script = Script().heading("APPENDIX B5: APPROVED CHANGES").heading("Approved Changes starting from 2027 onwards")
    script.heading("ARTICLE B9: PERSONNEL").numbered("B9.2.1", "Fifty persons.")
    assert tree(script, "B").blocks[-1].path == (
        ("APP B5", "APPROVED CHANGES"),
        ("", "Changes for 2027"),
        ("B9", "PERSONNEL"),
        ("B9.2", ""),
    )


def test_numbers_of_an_appendix_are_its_own():
    script = Script().heading("APPENDIX C2: VOLUMES").numbered("1", "General", bold=True)
    script.numbered("1.1", "This Appendix defines volumes.")
    found = tree(script)
    assert articles(found) == ["APP C2", "APP C2.1", "APP C2.1.1"]
    assert found.blocks[2].printed == "1.1"


def test_a_wrapped_heading_is_one_title():
    script = Script().numbered("C3.1", full("Bodywork"), bold=True)
    script.lines.append(line("not defined in Articles", y=script.lines[0].baseline + 15, bold=True))
    assert tree(script).blocks[0].title == full("Bodywork") + " not defined in Articles"


def test_a_clause_struck_out_whole_changes_no_other():
    script = Script().numbered("C3.1.1", "The car must stop.")
    script.add(glyphs("~C3.1.2", x=42, bold=True), glyphs("~It may start.", x=92)).words("~And go on.")
    found = tree(script)
    assert articles(found) == ["C3.1.1"]
    assert len(found.blocks[0].items) == 1


def test_a_mended_number_keeps_what_is_printed():
    script = Script().heading("ARTICLE C14: SAFETY").numbered("C14.6", "Cooling", bold=True)
    script.numbered("C14.6.1", "One.").numbered("C4.6.2", "Two.")
    block = tree(script).blocks[-1]
    assert (block.article, block.printed) == ("C14.6.2", "C4.6.2")
