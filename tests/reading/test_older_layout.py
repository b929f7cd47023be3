"""Regulations of before 2026: no section letter in the ids, a one-line footer, and no version box."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from pipelines.reading import read_document


def older(path: Path) -> Path:
    document = pymupdf.open()
    for number in (1, 2, 3):
        page = document.new_page()
        article = number + 4
        lines = [
            f"ARTICLE {article} ENGINE",
            f"{article}.1   Only four-stroke engines are permitted.",
            f"{article}.2.3   Cubic capacity must be {article}00cc in all cases.",
        ]
        for place, line in enumerate(lines):
            page.insert_text((60, 90 + 24 * place), line, fontsize=11)
        page.insert_text(
            (60, 800), f"2024 Formula 1 Sporting Regulations      {number}/3      24 June 2024", fontsize=9
        )
        page.insert_text((60, 815), "©2024 Fédération Internationale de l’Automobile      Issue 5", fontsize=9)
    document.save(path)
    return path


def test_an_older_regulation_reads_as_one(tmp_path: Path) -> None:
    result = read_document(older(tmp_path / "any name.pdf"))
    document = result.document
    assert (document.kind, document.section, document.issue) == ("regulation", "B", "5")
    assert (document.season, document.date) == ("2024", "2024-06-24")
    texts = {clause.article: clause.text for clause in result.clauses}
    assert texts["5.1"] == "Only four-stroke engines are permitted."
    assert texts["7.2.3"] == "Cubic capacity must be 700cc in all cases."
    assert result.account is not None
    assert result.account.balanced
