"""Files that give no clauses are told in one line each."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from pipelines.errors import DamagedFile, EncryptedFile, NoText, ReadError
from pipelines.reading import read_document
from pipelines.reading.fia.reader import NotARegulation, read_regulation

SAMPLE = Path(__file__).parents[3] / "pipelines/data/sample"


def saved(path: Path, text: str = "", **options: object) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    if text:
        page.insert_textbox(pymupdf.Rect(50, 50, 550, 800), text)
    document.save(path, **options)
    return path


def test_a_damaged_file(tmp_path):
    path = tmp_path / "damaged.pdf"
    path.write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20)
    with pytest.raises(DamagedFile, match=r"damaged\.pdf"):
        read_regulation(path)


def test_a_truncated_regulation_is_damaged_or_read_but_never_breaks(tmp_path):
    whole = next(SAMPLE.glob("*.pdf")).read_bytes()
    path = tmp_path / "half.pdf"
    path.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(ReadError):
        read_regulation(path)


def test_an_empty_file(tmp_path):
    path = tmp_path / "empty.pdf"
    path.write_bytes(b"")
    with pytest.raises(NoText, match=r"empty\.pdf"):
        read_document(path)


def test_a_file_that_wants_a_password(tmp_path):
    path = saved(tmp_path / "locked.pdf", "words", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret")
    with pytest.raises(EncryptedFile, match=r"locked\.pdf"):
        read_document(path)


def test_a_scan(tmp_path):
    with pytest.raises(NoText, match=r"scan\.pdf"):
        read_document(saved(tmp_path / "scan.pdf"))


def test_a_pdf_that_is_no_regulation_is_told_apart(tmp_path):
    path = saved(tmp_path / "minutes.pdf", "Minutes of the board meeting, in which much was said. " * 10)
    with pytest.raises(NotARegulation, match=r"minutes\.pdf"):
        read_regulation(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(DamagedFile, match=r"nowhere\.pdf"):
        read_document(tmp_path / "nowhere.pdf")
