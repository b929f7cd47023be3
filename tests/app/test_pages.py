"""Page pictures: rendered once, bounded in number, safe in threads; marks in fractions of the page."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
import pytest

from app.pages import PageImages, marks
from pipelines.errors import ReadError, UsageError
from pipelines.schema import Clause, Document, Kind, LineBox


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "two.pdf"
    document = pymupdf.open()
    for number in (1, 2):
        document.new_page(width=200, height=100).insert_text((20, 50), f"page {number}")
    document.save(path)
    return path


def test_a_picture_has_the_pages_size_in_pixels(pdf: Path) -> None:
    picture = PageImages().png(pdf, 1, dpi=144)
    width, height = struct.unpack(">II", picture[16:24])  # PNG header
    assert (width, height) == (400, 200)  # 200 by 100 points at 144 dots to 72 points


def test_a_second_look_draws_nothing(pdf: Path) -> None:
    pages = PageImages()
    first = pages.png(pdf, 2)
    pdf.unlink()
    pages._documents.clear()  # only the kept picture can answer now
    assert pages.png(pdf, 2) is first


def test_only_so_many_are_kept(pdf: Path) -> None:
    pages = PageImages(keep=1)
    first = pages.png(pdf, 1)
    pages.png(pdf, 2)
    assert pages.png(pdf, 1) is not first


@pytest.mark.parametrize("page", [0, 3, -1])
def test_a_page_that_is_not_there(pdf: Path, page: int) -> None:
    with pytest.raises(UsageError, match="pages 1 to 2"):
        PageImages().png(pdf, page)


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="gone"):
        PageImages().png(tmp_path / "none.pdf", 1)


def test_threads_get_the_page_they_asked_for(pdf: Path) -> None:
    pages = PageImages(keep=1)
    wanted = {number: PageImages().png(pdf, number) for number in (1, 2)}
    numbers = [1, 2] * 20
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda number: pages.png(pdf, number), numbers))
    assert all(picture == wanted[number] for number, picture in zip(numbers, found, strict=True))


def test_marks_are_fractions_and_the_quote_is_strong(pdf: Path) -> None:
    document = Document("two.pdf", "0" * 64, "regulation", "B", "Sporting", "05", "2026-02-27", "2026", 2)
    lines = (LineBox(1, 20, 40, 120, 50, 0, 10), LineBox(1, 20, 55, 60, 65, 11, 20), LineBox(2, 20, 10, 40, 20, 21, 30))
    clause = Clause("x", document, Kind.CLAUSE, "B1.1.1", "B1.1.1", "", "a" * 30, 1, 2, lines=lines)
    size = PageImages().size(pdf, 1)
    first, second = marks(clause, 1, size, quotes=[(11, 15)])
    assert (first.left, first.top, first.width, first.height) == pytest.approx((0.1, 0.4, 0.5, 0.1))
    assert (first.strong, second.strong) == (False, True)
    assert [mark.strong for mark in marks(clause, 2, size, quotes=[(11, 15)])] == [False]
    assert marks(clause, 3, size) == []
