"""The checked-in sample is what its sources build, twice the same, and it has what the FIA's PDFs have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pymupdf
import pytest

from scripts import build_sample
from scripts.build_sample import Section

STYLES = pymupdf.TEXT_COLLECT_STYLES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES
MAGENTA, ORANGE, GREEN, NAVY = 0xFF00FF, 0xFF9900, 0x00B050, 0x002D5F


@pytest.fixture(scope="module")
def sections() -> dict[str, Section]:
    return {str(section.expected["section"]): section for section in build_sample.build_all(build_sample.SOURCES)}


def spans(document: pymupdf.Document) -> list[dict]:
    return [
        span | {"page": page.number + 1}
        for page in document
        for block in page.get_text("dict", flags=STYLES)["blocks"]
        for line in block.get("lines", [])
        for span in line["spans"]
    ]


def open_section(letter: str) -> pymupdf.Document:
    [path] = build_sample.SOURCES.parent.glob(f"*_section_{letter.lower()}_*.pdf")
    return pymupdf.open(path)


def placed(document: pymupdf.Document) -> list[tuple[object, ...]]:
    """Every span with its place, looks and page, to a tenth of a point: independent of compression."""
    return [
        (span["page"], *(round(value, 1) for value in span["bbox"]), span["text"], span["font"], span["color"])
        for span in spans(document)
    ]


def test_the_checked_in_pdfs_are_what_the_sources_build(sections: dict[str, Section]) -> None:
    files = {section.file for section in sections.values()}
    assert files == {path.name for path in build_sample.SOURCES.parent.glob("*.pdf")}
    for letter, section in sections.items():
        kept, built = open_section(letter), pymupdf.open(stream=section.data)
        assert placed(built) == placed(kept)
        for new, old in zip(built, kept, strict=True):
            assert [drawing["rect"] for drawing in new.get_drawings()] == [d["rect"] for d in old.get_drawings()]


def test_the_checked_in_truth_is_what_the_sources_say(sections: dict[str, Section]) -> None:
    kept = json.loads((build_sample.ROOT / "tests/data/sample_expected.json").read_text(encoding="utf-8"))
    assert [section.expected for section in sections.values()] == kept


def test_the_older_issue_is_what_its_source_builds() -> None:
    [section] = build_sample.build_all(build_sample.OLDER_SOURCES)
    folder = build_sample.OLDER_SOURCES.parent
    assert placed(pymupdf.open(stream=section.data)) == placed(pymupdf.open(folder / section.file))
    assert [section.expected] == json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def test_two_builds_give_the_same_bytes(sections: dict[str, Section]) -> None:
    assert build_sample.build(build_sample.SOURCES / "b.reg").data == sections["B"].data


def test_the_pdfs_are_small_and_say_that_they_are_a_sample(sections: dict[str, Section]) -> None:
    for section in sections.values():
        document = pymupdf.open(stream=section.data)
        assert len(section.data) < 100_000
        assert "an invented regulation, not the FIA’s" in document[0].get_text()
        assert all("a sample, not the FIA’s" in page.get_text() for page in document)


@pytest.mark.parametrize("letter", "ABCDEF")
def test_every_page_has_the_frame_of_the_fia_pages(letter: str) -> None:
    document = open_section(letter)
    for page in document:
        assert page.rect == pymupdf.Rect(0, 0, 595, 842)
        words = {word[4]: word for word in page.get_text("words")}
        assert words[f"{letter}{page.number + 1}"][1] > 780
        assert words["SECTION"][1] < 45
        assert words[letter][0] > 500
        assert words[letter][3] < 62


def test_struck_words_are_struck_as_pymupdf_sees_it_and_only_they(sections: dict[str, Section]) -> None:
    for letter, section in sections.items():
        document = open_section(letter)
        seen = sum(len(span["text"]) for span in spans(document) if span["char_flags"] & 1)
        account: dict = section.expected["account"]  # type: ignore[assignment]
        assert seen == account.get("struck", 0)


def test_the_sample_has_black_struck_text_part_of_a_line_and_a_whole_clause() -> None:
    struck = [span for span in spans(open_section("B")) if span["char_flags"] & 1]
    assert any(span["color"] == 0 and span["text"].startswith("the clock") for span in struck)
    assert any(span["color"] == MAGENTA and span["text"].strip() == "B1.1.1" for span in struck)
    assert any(span["text"].strip() == "two" and span["bbox"][2] < 540 for span in struck)


def test_the_sample_has_every_colour_of_the_legend() -> None:
    for letter, color, text in (
        ("B", MAGENTA, "Radio messages"),
        ("B", ORANGE, "FS-F1-DOC-031"),
        ("A", GREEN, "[Replaced by Article A4.3.1]"),
        ("B", 0xB02418, "Governance: "),
        ("C", 0xC00000, "Advisory Committee: "),
    ):
        assert any(
            s["color"] == color and s["text"].startswith(text) and s["page"] > 1 for s in spans(open_section(letter))
        )


def test_the_wrong_ligature_is_a_glyph_of_its_own_as_wide_as_its_letters() -> None:
    # Section F: the glyph of "ff" is read as "a", which has another glyph; "ff" is two "f" wide.
    widths: dict[tuple[str, int], float] = {}
    for page in open_section("F"):
        for span in page.get_texttrace():
            if span["font"] == "FiraGO" and round(span["size"], 1) == 11.0:
                for code, glyph, _, box in span["chars"]:
                    widths[chr(code), glyph] = box[2] - box[0]
    as_a = sorted(width for (character, _), width in widths.items() if character == "a")
    [f] = [width for (character, _), width in widths.items() if character == "f"]
    assert len(as_a) == 2
    assert as_a[1] == pytest.approx(2 * f, abs=0.05)
    assert any(character == "\ufb01" for character, _ in widths)


def test_a_reference_stands_at_the_start_of_a_line_in_the_text_column() -> None:
    starts = [
        "".join(span["text"] for span in line["spans"])
        for letter in "BC"
        for page in open_section(letter)
        for block in page.get_text("dict", flags=STYLES)["blocks"]
        for line in block.get("lines", [])
        if 90 < line["bbox"][0] < 94
    ]
    assert any(text.startswith("C3.2.3 and C4.1.3 of the") for text in starts)
    assert any(text.startswith("Appendix C2 ") for text in starts)


def test_the_sample_is_rich() -> None:
    truth = json.loads((build_sample.ROOT / "tests/data/sample_expected.json").read_text(encoding="utf-8"))
    clauses = [clause for document in truth for clause in document["clauses"]]
    assert sum(c["kind"] == "clause" and c["status"] == "in_force" for c in clauses) >= 90
    assert sum(c["kind"] == "definition" for c in clauses) >= 20
    assert any(c["page_end"] > c["page_start"] and not c["tables"] for c in clauses)
    assert any(c["void"] for c in clauses)
    assert any(c["has_figure"] for c in clauses)
    assert {c["article_printed"] for c in clauses if c["article_printed"] != c["article"]} == {"D.2.1.3", "2.2.2"}
    future = {c["article"]: c["text"] for c in clauses if c["status"] == "future"}
    present = {c["article"]: c["text"] for c in clauses if c["status"] == "in_force" and c["kind"] == "clause"}
    assert all(present[article] != text for article, text in future.items())
    assert {d["section"] for d in truth} == set("ABCDEF")


def test_no_sentence_stands_in_the_regulations_of_the_fia() -> None:
    folder = Path(__file__).parents[2] / "../shared/regulations"
    files = sorted(folder.glob("*/*.pdf"))
    if not files:
        pytest.skip("the FIA's PDFs are not in ../shared/regulations")
    length, theirs = 9, set()
    for file in files:
        words = re.findall(r"[a-z0-9]+", " ".join(page.get_text() for page in pymupdf.open(file)).lower())
        theirs |= {tuple(words[i : i + length]) for i in range(len(words))}
    truth = json.loads((build_sample.ROOT / "tests/data/sample_expected.json").read_text(encoding="utf-8"))
    for clause in (clause for document in truth for clause in document["clauses"]):
        words = re.findall(r"[a-z0-9]+", clause["text"].lower())
        shared = [words[i : i + length] for i in range(len(words)) if tuple(words[i : i + length]) in theirs]
        assert not [run for run in shared if len(run) == length]
