"""How definitions begin."""

from __future__ import annotations

import pytest
from handmade import glyphs, line

from pipelines.reading.fia.definitions import defined_term, slug
from pipelines.reading.fia.lines import Line


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("“Relevant Person” means F1 Drivers", "Relevant Person"),
        ('"Reporting Deadline(s)" means the', "Reporting Deadline(s)"),
        ("“Circuit” a closed course", "Circuit"),
        ("“Concave Curvature”, “Convex Curvature”: When", "Concave Curvature"),
        ("‘Season’ means the year", "Season"),
        ("“F1 Team’s Group” has the meaning", "F1 Team’s Group"),
    ],
)
def test_terms_in_quotes(text, term):
    assert defined_term(line(text)) == term


@pytest.mark.parametrize("rest", [" means a car", ": a car", ", has the meaning set out", " As defined in Appendix B1"])
def test_terms_in_bold_without_quotes(rest):
    bold = glyphs("Current Car", bold=True)
    made = Line(1, 100, [*bold, *glyphs(rest, x=bold[-1].x1)], 553)
    assert defined_term(made) == "Current Car"


@pytest.mark.parametrize("text", ["The car means a car", "means a car", "a. “Car” means", "(“Car”) means"])
def test_lines_that_define_nothing(text):
    assert defined_term(line(text)) == ""


def test_a_bold_term_in_running_text_defines_nothing():
    bold = glyphs("Bodywork", bold=True)
    assert defined_term(Line(1, 100, [*bold, *glyphs(" may only be fitted", x=bold[-1].x1)], 553)) == ""


def test_slugs():
    assert slug("Relevant Person") == "relevant-person"
    assert slug("MGU‑K (“Kinetic”) – Unité") == "mguk-kinetic-unite"
    assert slug("…") == "text"
