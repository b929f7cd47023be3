"""The errors of TechReg Analyst.

::

    TechRegError                 anything expected; its message is one clear line, its ``fix`` a command or step
    ├── SettingsError            a setting is unknown or out of bounds: correct it
    ├── ReadError                a file cannot be read as a document: the run goes on without it
    │   ├── DamagedFile          the bytes are no readable file of their kind
    │   ├── EncryptedFile        the file wants a password
    │   ├── NoText               the file is empty or scanned: there is no text layer
    │   └── UnknownFormat        the format or layout is not one that is read
    ├── SearchIndexError         the index cannot serve
    │   ├── IndexEmpty           nothing is indexed yet: run ``techreg ingest``
    │   ├── IndexMismatch        built by another model or text recipe: run ``techreg ingest --rebuild``
    │   ├── IndexBusy            another process holds the storage folder: ask through it or stop it
    │   └── IndexUnavailable     the Qdrant server does not answer as it should
    ├── ModelError               an embedding, reranking or language model fails
    │   ├── ModelNotFound        the model cannot be loaded: correct the setting
    │   ├── ModelTimeout         the model did not answer in time
    │   └── ModelReplyError      the model answered with an error, nothing, or something unreadable
    └── UsageError               the call cannot be carried out as asked: exit code 2

A refusal is no error: it is :class:`pipelines.schema.Refusal`.
"""

from __future__ import annotations


class TechRegError(Exception):
    """An expected failure, told in one line. ``fix`` is what the caller does about it."""

    fix = "Run: techreg doctor"

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        if fix:
            self.fix = fix


class SettingsError(TechRegError):
    """Raised while settings are read: an unknown key or a value out of bounds."""

    fix = "Correct the setting, then run: techreg doctor"


class ReadError(TechRegError):
    """Raised by the readers for a file that gives no clauses; ingest reports it and goes on."""

    fix = "Leave the file out or replace it, then run: techreg ingest"


class DamagedFile(ReadError):
    """Raised when the bytes are no readable file of their kind."""

    fix = "Download the file again, then run: techreg ingest"


class EncryptedFile(ReadError):
    """Raised when a file wants a password."""

    fix = "Save a copy without a password, then run: techreg ingest"


class NoText(ReadError):
    """Raised when a file is empty or scanned and holds no text layer."""

    fix = "Run the file through OCR, then run: techreg ingest"


class UnknownFormat(ReadError):
    """Raised when a file's format or layout is not one that is read."""

    fix = "Give a PDF, DOCX, CSV, TXT, MD or RST file to: techreg ingest"


class SearchIndexError(TechRegError):
    """Raised by the index; the subclass says what to do."""


class IndexEmpty(SearchIndexError):
    """Raised when a question is asked before anything is indexed."""

    fix = "Run: techreg ingest data/regulations"


class IndexMismatch(SearchIndexError):
    """Raised when the index was built by another model or text recipe."""

    fix = "Run: techreg ingest --rebuild"


class IndexBusy(SearchIndexError):
    """Raised when another process holds the storage folder and does not answer for it."""

    fix = "Stop the other techreg process, or set TECHREG_STORAGE to another folder"


class IndexUnavailable(SearchIndexError):
    """Raised when the Qdrant server refuses, fails, times out or is of a wrong version."""

    fix = "Check TECHREG_QDRANT_URL and TECHREG_QDRANT_API_KEY, then run: techreg doctor"


class ModelError(TechRegError):
    """Raised at the border to a model; never shown as a refusal."""


class ModelNotFound(ModelError):
    """Raised when a model cannot be loaded from the name or folder that a setting gives."""

    fix = "Set TECHREG_EMBED_MODEL or TECHREG_RERANKER to a model folder, then run: techreg doctor"


class ModelTimeout(ModelError):
    """Raised when a language model does not answer in time."""

    fix = "Raise TECHREG_LLM_TIMEOUT_S or choose a smaller model"


class ModelReplyError(ModelError):
    """Raised when a language model answers with an error, nothing, or something unreadable."""

    fix = "Check TECHREG_LLM_URL and TECHREG_LLM_MODEL, then run: techreg doctor"


class UsageError(TechRegError):
    """Raised when a call cannot be carried out as asked; the command line exits with 2."""

    fix = "Run: techreg --help"
