"""References to articles, appendices and documents."""

from __future__ import annotations

import re

import pytest

from pipelines.reading.fia.references import Place, find_references


def found(text: str, *, article: str = "", appendix: str = "", letter: str = "C") -> list[tuple[str, str, str]]:
    tables = [run.span() for run in re.finditer(r"(?m)(?:^\|.*\n?)+", text)]
    references = find_references(text, Place(article, appendix, letter), tables=tables)
    assert all(text[reference.start : reference.end] == reference.printed for reference in references)
    return [(reference.kind, reference.target, reference.printed) for reference in references]


@pytest.mark.parametrize(
    ("text", "target", "printed"),
    [
        ("as described in Article C3.10.10.", "C3.10.10", "Article C3.10.10"),
        ("positions defined in C3.10.10(n)(i) and", "C3.10.10", "C3.10.10(n)(i)"),
        ("pursuant to Article E4.1.1.a.", "E4.1.1", "Article E4.1.1.a"),
        ("and E.1.2.", "E1.2", "E.1.2"),
        ("per Appendix C8 Article 2.2.1b.", "APP C8.2.2.1", "Appendix C8 Article 2.2.1b"),
        ("(Article B11.1.7d)", "B11.1.7", "Article B11.1.7d"),
    ],
)
def test_articles(text, target, printed):
    assert found(text) == [("article", target, printed)]


def test_several_articles_are_several_references():
    assert [target for _, target, _ in found("Articles C3.5 to C3.12, C4.1")] == ["C3.5", "C3.12", "C4.1"]


def test_appendices_and_documents():
    assert found("see Appendix B2 and FIA-F1-DOC-C034.") == [
        ("appendix", "APP B2", "Appendix B2"),
        ("document", "FIA-F1-DOC-C034", "FIA-F1-DOC-C034"),
    ]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("the table of Appendix 3, in", "APP C3"),
        ("in Appendix 7 of the Sporting Regulations", "APP B7"),
        ("in Appendix 1 of the Formula 1 Power Unit Financial Regulations", "APP E1"),
        ("indicated in Appendix 1 to these Power Unit Financial Regulations", "APP E1"),
        ("the provisions of this Appendix 5.", "APP C8"),
    ],
)
def test_an_appendix_without_a_letter_is_of_the_section_that_is_named_or_of_its_own(text, target):
    assert [reference for _, reference, _ in found(text, appendix="APP C8")] == [target]


def test_an_appendix_of_another_code_is_no_reference():
    assert found("in Appendix 2 of the ISC") == []


def test_a_document_without_letters_keeps_its_appendices_as_printed():
    assert found("see Appendix 3", letter="") == [("appendix", "APP 3", "Appendix 3")]


def test_the_number_of_a_table_row_is_no_reference():
    text = "The following:\n| No. | Name |\n| --- | --- |\n| C3.16.1 Nose | see C3.16.2 |\n| C3.2.1 | |"
    assert [target for _, target, _ in found(text, article="C3.16")] == ["C3.16.2", "C3.2.1"]
    assert len(found(text, article="C3.4")) == 3


def test_articles_of_an_appendix():
    assert found("Article 1.6 of this Appendix", appendix="APP C2") == [
        ("article", "APP C2.1.6", "Article 1.6 of this Appendix")
    ]
    assert found("the volume in §13.1 is", appendix="APP C2") == [("article", "APP C2.13.1", "§13.1")]


def test_an_article_without_a_letter_is_another_codes_unless_the_document_has_none():
    assert found("Article 15 of the FIA Statutes") == []
    assert found("see Article 5.2.3", letter="") == [("article", "5.2.3", "Article 5.2.3")]


def test_a_name_in_the_colour_of_references_is_a_document():
    text = "as set out in the Sample Guide."
    (reference,) = find_references(text, Place(), named=[(18, 30)])
    assert (reference.kind, reference.target) == ("document", "Sample Guide")


@pytest.mark.parametrize("text", ["5.2 metres", "issue 3.4", "F1 Team", "350kW", "B12"])
def test_no_references(text):
    assert found(text) == []
