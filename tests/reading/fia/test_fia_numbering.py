"""Article numbers as printed and as meant."""

from __future__ import annotations

import pytest

from pipelines.reading.fia.numbering import VOID, Number, ancestors, parse, replaced_by


@pytest.mark.parametrize(
    ("printed", "letter", "parent", "previous", "article"),
    [
        ("C3.10.10", "C", "C3.10", "C3.10.9", "C3.10.10"),
        ("D.11.1.2", "D", "D11.1", "D11.1.1", "D11.1.2"),
        ("3.6.1", "C", "C3.6", "C3.6", "C3.6.1"),
        ("C9.11.", "C", "C9.10", "C9.10.2", "C9.11"),
        ("C5.12.f", "C", "C5.12", "C5.12.6", "C5.12.7"),
        ("C4.6.2", "C", "C14.6", "C14.6.1", "C14.6.2"),
        ("C4.6.3", "C", "C14.6", "C14.6.2", "C14.6.3"),
        ("C4.6.1", "C", "C14.6", "C14.6", "C14.6.1"),
        ("5.2.3", "", "5.2", "5.2.2", "5.2.3"),
    ],
)
def test_numbers_are_mended_and_keep_what_is_printed(printed, letter, parent, previous, article):
    assert parse(printed, letter=letter, parent=parent, previous=previous) == Number(article, printed)


def test_a_number_of_another_article_that_does_not_fit_the_count_stays():
    assert parse("C4.6.7", letter="C", parent="C14.6", previous="C14.6.1") == Number("C4.6.7", "C4.6.7")


def test_an_appendix_numbers_its_own_articles():
    number = parse("1.4", letter="A", parent="", previous="", appendix="APP A7")
    assert number == Number("APP A7.1.4", "1.4")


@pytest.mark.parametrize("text", ["C3.10(n)", "Article", "a.", "C", "350kW", "1,000"])
def test_what_is_no_number(text):
    assert parse(text, letter="C", parent="", previous="") is None


def test_ancestors_are_outermost_first():
    assert ancestors("C3.10.10") == ["C3", "C3.10"]
    assert ancestors("APP C2.1.7") == ["APP C2", "APP C2.1"]
    assert ancestors("APP D1") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[Replaced by Article A9.4.2]", "A9.4.2"),
        ("[Replaced by Article A5.1.1.c]", "A5.1.1.c"),
        ("[Replaced by Art.3.2 and Art.3.3 in Section A, Appendix A3]", "APP A3.3.2, APP A3.3.3"),
        ("[Replaced by Art.A6.1.2.a), Art.A6.1.3.a) and Art.A6.1.4]", "A6.1.2.a, A6.1.3.a, A6.1.4"),
        ("[Replaced by Appendix A3]", "APP A3"),
        ("Replaced by the FIA Standard Connectors", "the FIA Standard Connectors"),
        ("It may be changed.", ""),
    ],
)
def test_what_replaces_a_clause(text, names):
    assert replaced_by(text) == names


def test_void():
    assert VOID.match("VOID")
    assert VOID.match("[Void]")
    assert not VOID.match("Avoid contact")
