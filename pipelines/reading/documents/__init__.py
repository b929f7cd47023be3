"""Readers of documents that are no FIA regulation: TXT, MD, RST, CSV, DOCX and plain PDF, by their own headings."""

from pipelines.reading.documents.csv_table import read_csv
from pipelines.reading.documents.markdown import read_markdown
from pipelines.reading.documents.plain import read_plain
from pipelines.reading.documents.rst import read_rst
from pipelines.reading.documents.word import read_docx

__all__ = ["read_csv", "read_docx", "read_markdown", "read_plain", "read_rst"]
