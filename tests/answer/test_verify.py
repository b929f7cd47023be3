from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from pipelines.answer.cite import Citer
from pipelines.answer.extractive import Extract
from pipelines.answer.pieces import pieces
from pipelines.answer.verify import Verifier, is_table, squeeze
from pipelines.schema import Clause, LineBox


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier()


def path_of(clause: Clause) -> Path:
    return Path(clause.document.path)


def test_squeeze_is_nfkc_without_white_space() -> None:
    assert squeeze("e\ufb00ect  of\n2 m²") == "effectof2m2"


def test_a_quote_over_lines_is_found_and_a_changed_word_is_not(law: dict[str, Clause], verifier: Verifier) -> None:
    clause = law["B1.6.3"]
    quote = clause.text[: clause.text.index("b. At")].strip()
    assert verifier.verify_quote(path_of(clause), 1, quote)
    assert not verifier.verify_quote(path_of(clause), 1, quote.replace("80km/h", "90km/h"))
    assert not verifier.verify_quote(path_of(clause), 2, quote)


@pytest.mark.parametrize("quote", ["", "  ", "\n"])
def test_nothing_is_no_quote(law: dict[str, Clause], verifier: Verifier, quote: str) -> None:
    assert not verifier.verify_quote(path_of(law["C4.1"]), 2, quote)


def test_pages_and_files_that_are_not_there(law: dict[str, Clause], verifier: Verifier, tmp_path: Path) -> None:
    assert not verifier.verify_quote(path_of(law["C4.1"]), 99, "The minimum mass of the car")
    assert not verifier.verify_quote(tmp_path / "gone.pdf", 1, "The minimum mass of the car")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    assert not verifier.verify_quote(tmp_path / "broken.pdf", 1, "The minimum mass of the car")


def test_a_table_is_compared_cell_by_cell(law: dict[str, Clause], verifier: Verifier) -> None:
    clause = law["A2.2.1"]
    assert verifier.verify_quote(
        path_of(clause), clause.page_start, "| Position | Points |\n| --- | --- |\n| 2nd | 18 |"
    )
    assert not verifier.verify_quote(path_of(clause), clause.page_start, "| 2nd | 19 |")
    assert is_table("| a | b |")
    assert not is_table("a | b")


def test_struck_words_are_left_out(tmp_path: Path, verifier: Verifier) -> None:
    path = tmp_path / "struck.pdf"
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 60), "The limit is 60km/h 80km/h in the Pit Lane.", fontsize=11)
    box = page.search_for("60km/h")[0]
    middle = (box.y0 + box.y1) / 2
    page.draw_line((box.x0, middle), (box.x1, middle), width=0.6)
    document.save(path)
    assert verifier.verify_quote(path, 1, "The limit is 80km/h in the Pit Lane.")
    assert not verifier.verify_quote(path, 1, "The limit is 60km/h 80km/h in the Pit Lane.")


def struck_page(path: Path, text: str, *struck: tuple[str, float, float]) -> Path:
    """A page of one line; each struck run with how far its stroke reaches over it on the left and on the right."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 60), text, fontsize=11)
    for run, left, right in struck:
        box = page.search_for(run)[0]
        middle = (box.y0 + box.y1) / 2
        page.draw_line((box.x0 - left, middle), (box.x1 + right, middle), width=0.6)
    document.save(path)
    return path


@pytest.mark.parametrize(
    ("text", "struck", "quote", "runs"),
    [
        (
            "awarded by the final classificationof the Sprint after the end-of-session signal is given",
            ("nof the Sprint", -3, 0),
            "awarded by the final classification after the end-of-session signal is given",
            ("awarded by the final", "after the end-of-session signal is given"),
        ),
        (
            "helmets must be worn as specified in the ISC Code. and no others",
            (" Code.", 0, 0),
            "helmets must be worn as specified in the ISC. and no others",
            ("helmets must be worn as specified in the", "and no others"),
        ),
        (
            "a wheel [Governance: F1 Commission] must be fixed to the car",
            (),
            "a wheel must be fixed to the car",
            ("a wheel", "must be fixed to the car"),
        ),
    ],
)
def test_marks_of_the_editors_part_a_quote(
    tmp_path: Path, verifier: Verifier, text: str, struck: tuple[str, float, float], quote: str, runs: tuple[str, ...]
) -> None:
    path = struck_page(tmp_path / "marked.pdf", text, *([struck] if struck else []))
    assert not verifier.verify_quote(path, 1, quote)
    assert verifier.runs_around_marks(path, 1, quote) == runs
    assert all(verifier.verify_quote(path, 1, run) for run in runs)


@pytest.mark.parametrize(
    "quote",
    [
        "The limit is 60km/h 80km/h in the Pit Lane.",  # the struck word
        "The limit is 6 80km/h in the Pit Lane.",  # a letter of it that is not at the end of a word in force
        "The limit 80km/h in the Pit Lane.",  # a word in force is missing
        "The limit is not 80km/h in the Pit Lane.",  # a word that is not there
        "The limit is 80km/h [in general] in the Pit Lane.",
    ],
)
def test_no_word_slips_in_or_out_between_marks(tmp_path: Path, verifier: Verifier, quote: str) -> None:
    path = struck_page(tmp_path / "marked.pdf", "The limit is 60km/h 80km/h in the Pit Lane.", ("60km/h", 0, 0))
    assert verifier.runs_around_marks(path, 1, quote) == ()


def test_a_run_that_a_stroke_touched_is_cited_in_parts(
    tmp_path: Path, law: dict[str, Clause], verifier: Verifier
) -> None:
    text = "Points are awarded by the final classificationof the Sprint after the end-of-session signal is given."
    path = struck_page(tmp_path / "marked.pdf", text, ("nof the Sprint", -3, 0))
    clause = law["C4.1"]
    words = "Points are awarded by the final classification after the end-of-session signal is given."
    box = LineBox(1, 0, 0, 1, 1, 0, len(words))
    clause = replace(
        clause, text=words, lines=(box,), tables=(), page_start=1, page_end=1,
        document=replace(clause.document, path=str(path)),
    )  # fmt: skip
    cited = Citer(verifier).cite(Extract(clause, ((0, len(words)),), 1.0))
    assert cited.spans == ((0, len(words)),)
    assert [citation.quote for citation in cited.citations] == [
        "Points are awarded by the final",
        "after the end-of-session signal is given.",
    ]
    assert all(citation.verified for citation in cited.citations)


def test_one_wrong_character_may_stand_for_a_ligature_and_for_nothing_else(tmp_path: Path, verifier: Verifier) -> None:
    path = tmp_path / "ligature.pdf"
    document = pymupdf.open()
    document.new_page().insert_text((60, 60), "The egect on o`icial stag is a big change.", fontsize=11)
    document.save(path)
    assert verifier.verify_quote(path, 1, "The effect on official staff")
    assert not verifier.verify_quote(path, 1, "The effort on official staff")
    assert not verifier.verify_quote(path, 1, "a bag change")


def test_text_documents_are_compared_by_letters_and_digits_of_their_lines(tmp_path: Path, verifier: Verifier) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Title\n\nThe *limit* is `80` km/h.\n\nOther words.\n", encoding="utf-8")
    assert verifier.verify_lines(path, (3, 3), "The limit is 80 km/h.")
    assert not verifier.verify_lines(path, (4, 5), "The limit is 80 km/h.")
    assert not verifier.verify_lines(tmp_path / "gone.md", (1, 9), "The limit")


def test_a_quote_over_a_page_break_is_two_citations(law: dict[str, Clause], verifier: Verifier) -> None:
    clause = law["B2.1.1"]
    cited = Citer(verifier).cite(Extract(clause, ((0, len(clause.text)),), 1.0))
    first, second = cited.citations
    assert (first.page, second.page) == (clause.page_start, clause.page_end)
    assert first.quote.endswith("the cars must return")
    assert second.quote.startswith("slowly to the Pit Lane")
    assert first.verified
    assert second.verified


def test_the_short_end_of_a_quote_over_a_page_break_is_no_citation_of_its_own(
    law: dict[str, Clause], verifier: Verifier
) -> None:
    clause = law["B2.1.1"]
    start = clause.text.index("return")
    cited = Citer(verifier).citations(clause, start, len(clause.text))
    assert [citation.page for citation in cited] == [clause.page_end]  # "return" alone is under four words


def test_neighbours_share_a_citation_and_what_is_not_found_is_named(law: dict[str, Clause], verifier: Verifier) -> None:
    clause = law["B1.6.3"]
    item = clause.text.index("a. Any")
    spans = ((0, item - 1), (item, clause.text.index("b. At") - 1))
    assert len(Citer(verifier).cite(Extract(clause, spans, 1.0)).citations) == 1
    altered = replace(clause, text=clause.text.replace("1000 euros", "2000 euros"))
    cited = Citer(verifier).cite(Extract(altered, spans, 1.0))
    assert cited.spans == spans[:1]
    assert cited.unverified == spans[1:]
    assert all(citation.verified for citation in cited.citations)


def test_a_document_without_a_path_is_never_verified(law: dict[str, Clause], verifier: Verifier) -> None:
    clause = replace(law["C4.1"], document=replace(law["C4.1"].document, path=""))
    assert not Citer(verifier).citations(clause, 0, len(clause.text))[0].verified


def test_rows_are_quoted_without_their_header_and_a_wrong_cell_leaves_its_row_out(
    law: dict[str, Clause], verifier: Verifier
) -> None:
    clause = law["A2.2.1"]
    text = clause.text.replace("| Position | Points |", "| Place – Position | Points |").replace(
        "| 3rd | 15 |", "| 3rd | 16 |"
    )
    text = text.replace("| 2nd | 18 |", "| 2nd | ✗ |")  # a sign for which the page has another character
    altered = replace(clause, text=text, tables=((text.index("|"), len(text)),), lines=())
    spans = tuple((piece.start, piece.end) for piece in pieces(altered))
    cited = Citer(verifier).cite(Extract(altered, spans, 1.0))
    assert [citation.quote for citation in cited.citations] == [
        "Points will be awarded for a Race as follows:",
        "| 1st | 25 |\n| 2nd |  |",
    ]
    assert [text[start:end] for start, end in cited.unverified] == ["| 3rd | 16 |"]
