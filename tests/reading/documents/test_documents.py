"""Documents that are no regulation: sections, lines, words in force, and one clear error for each kind of bad file."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from pipelines.errors import DamagedFile, EncryptedFile, NoText, ReadError
from pipelines.reading.documents import read_csv, read_docx, read_markdown, read_plain, read_rst
from pipelines.reading.documents.sections import MAX_WORDS
from pipelines.schema import Clause, Kind

READERS = {".txt": read_plain, ".md": read_markdown, ".rst": read_rst, ".csv": read_csv, ".docx": read_docx}

RST = """\
=====
Guide
=====

Opening words
over two lines.

Tyres
-----

Use :func:`heat` with care, see `the page <https://example.org>`__.

.. code-block:: python
    :linenos:

    heat(tyre,
         blanket=True)

- first item
  goes on
- second item

.. py:function:: cool(tyre: Tyre)

   :param tyre: The tyre that is
      to be cooled.
   :type tyre: Tyre

Brakes
------

They stop the car.
"""

MARKDOWN = """\
---
title: hidden
---
# Guide

Opening **words**
over two lines.

## Tyres

Heat ~~slowly~~ *quickly*.

| Compound | Colour |
| --- | --- |
| Soft | Red \\| pink |

1. first
2. second

```python
heat(tyre)
```
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lines_of(path: Path, clause: Clause) -> list[str]:
    assert clause.file_lines is not None
    first, last = clause.file_lines
    return path.read_text(encoding="utf-8").split("\n")[first - 1 : last]


def test_rst_sections_know_their_path_and_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "guide.rst", RST)
    clauses = read_rst(path).clauses
    assert [(clause.title, clause.path) for clause in clauses] == [
        ("Guide", ()),
        ("Tyres", ("Guide",)),
        ("cool", ("Guide", "Tyres")),
        ("Brakes", ("Guide",)),
    ]
    assert [clause.file_lines for clause in clauses] == [(1, 6), (8, 21), (23, 27), (29, 32)]
    assert lines_of(path, clauses[1])[0] == "Tyres"
    assert lines_of(path, clauses[2])[-1].strip() == ":type tyre: Tyre"


def test_rst_text_is_words_without_marks(tmp_path: Path) -> None:
    tyres, cool = read_rst(write(tmp_path, "guide.rst", RST)).clauses[1:3]
    assert tyres.text.split("\n")[0] == "Use heat with care, see the page."
    assert "heat(tyre,\n         blanket=True)" in tyres.text
    assert "- first item goes on\n- second item" in tyres.text
    assert ":linenos:" not in tyres.text
    assert cool.text.split("\n")[1:] == [":param tyre: The tyre that is to be cooled.", ":type tyre: Tyre"]


def test_markdown_sections_tables_and_struck_words(tmp_path: Path) -> None:
    path = write(tmp_path, "guide.md", MARKDOWN)
    opening, tyres = read_markdown(path).clauses
    assert (opening.title, opening.text, opening.file_lines) == ("Guide", "Opening words over two lines.", (4, 7))
    assert tyres.path == ("Guide",)
    assert tyres.text.startswith("Heat quickly.")
    start, end = tyres.tables[0]
    assert tyres.text[start:end].split("\n") == ["| Compound | Colour |", "| --- | --- |", "| Soft | Red \\| pink |"]
    assert "1. first\n2. second\nheat(tyre)" in tyres.text
    assert tyres.file_lines == (9, 22)
    assert "hidden" not in opening.text


def test_plain_text_headings_and_items(tmp_path: Path) -> None:
    text = "INTRODUCTION\n\nSome words\nwrapped.\n\n2.1 Pit Lane\n\nThe limit:\n- 80 km/h\n- 60 km/h\n\n"
    text += "End\n===\nLast words.\n"
    clauses = read_plain(write(tmp_path, "notes.txt", text)).clauses
    assert [(clause.title, clause.text, clause.file_lines) for clause in clauses] == [
        ("INTRODUCTION", "Some words wrapped.", (1, 4)),
        ("2.1 Pit Lane", "The limit:\n- 80 km/h\n- 60 km/h", (6, 10)),
        ("End", "Last words.", (12, 14)),
    ]


def test_csv_rows_stand_under_their_header(tmp_path: Path) -> None:
    rows = "\n".join(f'{n};"part, {n}"' for n in range(1, 15))
    clauses = read_csv(write(tmp_path, "parts.csv", f"id;name\n{rows}\n")).clauses
    assert [clause.file_lines for clause in clauses] == [(2, 13), (14, 15)]
    assert clauses[1].text.split("\n") == ["| id | name |", "| --- | --- |", "| 13 | part, 13 |", "| 14 | part, 14 |"]
    assert clauses[1].tables == ((0, len(clauses[1].text)),)


def test_csv_counts_lines_inside_quotes(tmp_path: Path) -> None:
    clauses = read_csv(write(tmp_path, "a.csv", 'id,note\n1,"two\nlines"\n\n2,one\n')).clauses
    assert clauses[0].file_lines == (2, 5)
    assert "| 1 | two lines |" in clauses[0].text


def test_word_keeps_insertions_and_leaves_out_deletions(tmp_path: Path) -> None:
    word = docx.Document()
    word.add_heading("Pit Lane", 1)
    paragraph = word.add_paragraph("The limit is ")
    struck = paragraph.add_run("60 ")
    struck.font.strike = True
    for tag, text in (("w:ins", "80 km/h"), ("w:del", "70 km/h")):
        wrap, run, words = OxmlElement(tag), OxmlElement("w:r"), OxmlElement("w:t")
        words.text = text
        words.set(qn("xml:space"), "preserve")
        run.append(words)
        wrap.append(run)
        paragraph._p.append(wrap)
    word.add_paragraph("in the pit lane", style="List Bullet")
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip((*table.rows[0].cells, *table.rows[1].cells), ("Day", "Limit", "Friday", "80"), strict=True):
        cell.text = text
    path = tmp_path / "rules.docx"
    word.save(str(path))
    (clause,) = read_docx(path).clauses
    assert clause.title == "Pit Lane"
    assert clause.text == ("The limit is 80 km/h\n- in the pit lane\n\n| Day | Limit |\n| --- | --- |\n| Friday | 80 |")
    assert clause.file_lines == (1, 4)


def test_a_long_section_is_split_between_blocks(tmp_path: Path) -> None:
    paragraphs = [" ".join([f"word{n}"] * 100) for n in range(8)]
    path = write(tmp_path, "long.md", "# Long\n\n" + "\n\n".join(paragraphs) + "\n")
    clauses = read_markdown(path).clauses
    assert all(len(clause.text.split()) <= MAX_WORDS for clause in clauses)
    assert "\n".join(clause.text for clause in clauses) == "\n".join(paragraphs)  # nothing lost, nothing twice
    assert len({clause.id for clause in clauses}) == len(clauses)
    spans = [clause.file_lines for clause in clauses]
    assert all(before[1] < after[0] for before, after in pairwise(spans) if before and after)


@pytest.mark.parametrize("suffix", READERS)
def test_every_document_names_its_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    if suffix == ".docx":
        word = docx.Document()
        word.add_paragraph("Words of the file.")
        word.save(str(path))
    else:
        path.write_text("Words of the file.\n")
    result = READERS[suffix](path)
    assert result.document.section == path.name
    assert result.document.kind == "document"
    assert len(result.document.sha256) == 64
    assert all(clause.kind is Kind.PASSAGE and clause.text and clause.file_lines for clause in result.clauses)


@pytest.mark.parametrize("suffix", READERS)
def test_an_empty_file_has_no_text(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(b" \n")
    with pytest.raises(NoText, match=path.name):
        READERS[suffix](path)


@pytest.mark.parametrize("suffix", READERS)
def test_a_file_of_other_bytes_is_damaged(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(b"PK\x03\x04\x00\x00\x00\x01rubbish")
    with pytest.raises(DamagedFile, match=path.name):
        READERS[suffix](path)


def test_a_word_file_with_a_password_says_so(tmp_path: Path) -> None:
    path = tmp_path / "secret.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 64)
    with pytest.raises(EncryptedFile, match="password"):
        read_docx(path)


def test_a_missing_file_is_a_read_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be opened"):
        read_plain(tmp_path / "none.txt")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Grand Prix d’été\r\nà Spa".encode(encoding))
    assert read_plain(path).clauses[0].text == "Grand Prix d’été à Spa"


RAPIDFIRE = Path(__file__).parents[3].parent / "shared" / "rapidfire" / "docs"


@pytest.mark.skipif(not RAPIDFIRE.is_dir(), reason="the plain-text corpus is not beside the checkout")
def test_every_word_of_a_real_corpus_stands_in_its_lines() -> None:
    """Each word of each clause is found in the source lines that the clause claims."""
    files = sorted(RAPIDFIRE.glob("*.rst"))
    assert files
    for path in files:
        for clause in read_rst(path).clauses:
            source = " ".join(lines_of(path, clause)).expandtabs(4)
            missing = [word for word in re.findall(r"\w+", clause.text) if word not in source]
            assert not missing, (path.name, clause.title, missing)
