"""PDFs that are no regulation."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from pipelines.errors import DamagedFile, EncryptedFile, NoText
from pipelines.reading.documents.plain_pdf import read_plain_pdf


def report(path: Path) -> Path:
    """Three pages with a header, a footer, two headings, a struck line and a ruled table."""
    pdf = pymupdf.open()
    for number in (1, 2, 3):
        page = pdf.new_page(width=400, height=500)
        page.insert_text((40, 20), "Acme report", fontsize=9)
        page.insert_text((190, 490), f"page {number}", fontsize=9)
        if number == 1:
            page.insert_text((40, 80), "Braking distances", fontsize=18)
            page.insert_text((40, 110), "The car stops within 60 metres from full speed", fontsize=11)
            page.insert_text((40, 124), "when the tyres are warm.", fontsize=11)
            page.insert_text((40, 160), "It used to need ninety metres.", fontsize=11)
            page.draw_line((38, 156.5), (200, 156.5))
        if number == 2:
            page.insert_text((40, 80), "Weights", fontsize=18)
            page.insert_text((40, 110), "All parts are weighed.", fontsize=11)
            for row, cells in enumerate((("Part", "Mass"), ("Wing", "12 kg"))):
                for column, cell in enumerate(cells):
                    box = (40 + 100 * column, 140 + 20 * row, 140 + 100 * column, 160 + 20 * row)
                    page.draw_rect(box)
                    page.insert_text((box[0] + 4, box[3] - 6), cell, fontsize=11)
        if number == 3:
            page.insert_text((40, 80), "Wheels are weighed with their tyres.", fontsize=11)
    pdf.save(path)
    return path


def test_sections_run_over_pages_without_headers_and_struck_words(tmp_path: Path) -> None:
    result = read_plain_pdf(report(tmp_path / "report.pdf"))
    first, second = result.clauses
    assert result.document.kind == "document"
    assert result.document.pages == 3
    assert (first.title, first.text) == (
        "Braking distances",
        "The car stops within 60 metres from full speed when the tyres are warm.",
    )
    assert second.text == (
        "All parts are weighed.\n\n| Part | Mass |\n| --- | --- |\n| Wing | 12 kg |\n"
        "Wheels are weighed with their tyres."
    )
    assert (second.page_start, second.page_end) == (2, 3)
    assert second.file_lines is None


def test_boxes_lead_back_to_the_words(tmp_path: Path) -> None:
    path = report(tmp_path / "report.pdf")
    first = read_plain_pdf(path).clauses[0]
    with pymupdf.open(path) as pdf:
        for line in first.lines:
            inside = pymupdf.Rect(line.x0 - 1, line.y0 + 2, line.x1 + 1, line.y1 - 2)
            assert pdf[line.page - 1].get_textbox(inside).strip() == first.text[line.start : line.end]


def test_a_scan_has_no_text(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().draw_rect((10, 10, 100, 100))
    pdf.save(tmp_path / "scan.pdf")
    with pytest.raises(NoText, match="scanned"):
        read_plain_pdf(tmp_path / "scan.pdf")


def test_a_locked_pdf_wants_a_password(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_text((40, 80), "secret")
    pdf.save(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y")
    with pytest.raises(EncryptedFile, match="password"):
        read_plain_pdf(tmp_path / "locked.pdf")


def test_other_bytes_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7 nothing more")
    with pytest.raises(DamagedFile, match="readable"):
        read_plain_pdf(path)
