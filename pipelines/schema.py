"""The records that carry the law from the page to the screen.

Flow: :class:`Clause` (parsed law) -> LlamaIndex node (inside ``nodes`` and ``index`` only) -> :class:`Passage`
(a clause and where each stage ranked it) -> :class:`Answer`, :class:`Refusal` or :class:`Failure`.
Every record is frozen and plain data: no model, client or PDF object is reachable from one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """Whether a clause is law now. Of one season and section the issue with the latest date is in force."""

    IN_FORCE = "in_force"
    FUTURE = "future"
    SUPERSEDED = "superseded"


class Kind(StrEnum):
    """What a clause is in its document."""

    CLAUSE = "clause"  # a numbered paragraph with its lettered items
    DEFINITION = "definition"  # one defined term of an appendix
    APPENDIX = "appendix"  # unnumbered appendix text
    PASSAGE = "passage"  # a section of a document that is no FIA regulation


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read: identity and what its own pages say of it.

    ``section`` is the letter A to F for a regulation, the file name for any other document.
    ``date`` is ISO 8601 (YYYY-MM-DD) or "" where the document states none; ``issue`` keeps its printed zeros ("05").
    """

    file: str
    sha256: str
    kind: str  # "regulation" or "document"
    section: str
    section_title: str
    issue: str
    date: str
    season: str
    pages: int
    path: str = ""  # where the file was read from; never shown, used to render its pages


@dataclass(frozen=True, slots=True)
class LineBox:
    """One printed line of a clause: page (from 1), box in PDF points from the top left, and its run of the text.

    ``start`` and ``end`` are offsets into :attr:`Clause.text`; a table row or cell is a line of its own.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference that a clause makes: to an article or appendix of the regulations, or to a named FIA document."""

    kind: str  # "article", "appendix" or "document"
    target: str  # C3.10.10, APP C2, or the document's name
    printed: str  # as it stands in the text, C3.10.10(n)
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause in the words that are in force, with its place in the document.

    ``text`` holds the clause's own words only: no struck-out wording, header, footer, number or heading. Lettered items
    start a line of their own; tables are Markdown. ``article`` is the mended id, ``article_printed`` the id as printed.
    ``id`` is unique per clause and version.
    """

    id: str
    document: Document
    kind: Kind
    article: str
    article_printed: str
    title: str
    text: str
    page_start: int
    page_end: int
    status: Status = Status.IN_FORCE
    term: str = ""
    year: str = ""
    path: tuple[str, ...] = ()  # ancestors' titles, outermost first, each with its id: "C3 AERODYNAMIC COMPONENTS"
    ancestors: tuple[str, ...] = ()  # ancestors' article ids, outermost first: ("C3", "C3.10")
    lines: tuple[LineBox, ...] = ()
    changed: bool = False
    inserted: tuple[tuple[int, int], ...] = ()  # spans of text that this issue inserted
    void: bool = False
    replaced_by: str = ""
    references: tuple[Reference, ...] = ()
    comments: tuple[str, ...] = ()  # green text: not regulatory
    governance: tuple[str, ...] = ()  # red lines: committee and governance of the article
    has_figure: bool = False
    tables: tuple[tuple[int, int], ...] = ()  # spans of text that are Markdown tables
    file_lines: tuple[int, int] | None = None  # text documents: first and last line, 1-based, inclusive

    @property
    def section(self) -> str:
        """The section letter, or the file name of a document that is no regulation."""
        return self.document.section

    @property
    def issue(self) -> str:
        """The issue as printed, "" where there is none."""
        return self.document.issue

    @property
    def label(self) -> str:
        """What a person calls the clause: its article, or the term it defines."""
        return f"{self.article} “{self.term}”" if self.term else self.article


@dataclass(frozen=True, slots=True)
class Heading:
    """An article or sub-article that carries a title but no words of its own."""

    article: str
    title: str
    page: int
    void: bool = False
    replaced_by: str = ""
    year: str = ""


@dataclass(frozen=True, slots=True)
class CharacterAccount:
    """Where every source glyph of a document went. ``clauses`` plus the sum of ``dropped`` equals ``total``."""

    total: int
    clauses: int
    dropped: dict[str, int]  # by name: struck, header, footer, contents, ... , white_space

    @property
    def balanced(self) -> bool:
        """True when no glyph is lost and none is counted twice."""
        return self.total == self.clauses + sum(self.dropped.values())


@dataclass(frozen=True, slots=True)
class ReadResult:
    """One document, read: its clauses in reading order, its headings, its account of characters and what was odd."""

    document: Document
    clauses: tuple[Clause, ...]
    headings: tuple[Heading, ...] = ()
    account: CharacterAccount | None = None
    warnings: tuple[str, ...] = ()
    cross_references: tuple[tuple[str, int], ...] = ()  # ids that open a line or table row but no clause, with page
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """A clause's reference as the index resolves it.

    ``found`` says what carries the id: "clause", "row" (of a clause's table), "above" (clauses stand below it),
    "heading" (a title without words) or "" for a dead reference. ``clause_id`` is the first clause that does.
    """

    printed: str  # as it stands in the text, C3.10.10(n)(i)
    target: str  # C3.10.10, APP C2
    item: str  # the letters behind the id, "n.i"
    found: str
    clause_id: str = ""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is limited to. Empty means no limit; ``status`` "all" lifts the limit to the law in force."""

    section: str = ""
    issue: str = ""
    status: str = Status.IN_FORCE.value
    document: str = ""
    article: str = ""  # an id as printed or as mended, with everything below it


@dataclass(frozen=True, slots=True)
class Passage:
    """A clause that a search returned, its score (falling from first to last) and its rank (from 1) at each stage."""

    clause: Clause
    score: float
    ranks: dict[str, int] = field(default_factory=dict)  # "dense", "sparse", "exact", "fused", "rerank"
    context: tuple[Clause, ...] = ()  # the parent's lead-in and the clauses it refers to
    lead_in: str = ""  # the id of the parent among ``context``, "" where no parent has words
    links: tuple[Link, ...] = ()  # its references to articles and appendices
    evidence: float | None = None  # what late interaction alone makes of it, None where that is the score


@dataclass(frozen=True, slots=True)
class Understood:
    """What was understood of a question before searching: ids, section, terms, corrections and added words."""

    question: str  # as it was searched, a follow-up resolved
    articles: tuple[str, ...] = ()
    section: str = ""
    terms: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    expansions: tuple[str, ...] = ()
    year: str = ""
    follow_up: bool = False


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search found, best first, with the wall time of each stage in milliseconds."""

    question: str
    understood: Understood
    passages: tuple[Passage, ...]
    ms: dict[str, float]
    candidates: tuple[str, ...] = ()  # clause ids before reranking, in fused order


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote and where it stands: a run of one page's words in reading order, and whether it was found there."""

    clause_id: str
    article: str
    term: str
    section: str
    issue: str
    date: str
    page: int
    quote: str
    verified: bool
    file: str = ""
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its checked citations. ``fallback`` says that the extractive answer stands in for the model's."""

    question: str
    text: str
    citations: tuple[Citation, ...]
    passages: tuple[Passage, ...]
    understood: Understood
    confidence: float
    model: str = "extractive"
    fallback: bool = False
    warnings: tuple[str, ...] = ()
    ms: dict[str, float] = field(default_factory=dict)
    outcome: str = "answered"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The regulations do not answer: what was looked for and the nearest headings, and no source."""

    question: str
    text: str
    understood: Understood
    confidence: float
    nearest: tuple[str, ...] = ()
    model: str = "extractive"
    warnings: tuple[str, ...] = ()
    ms: dict[str, float] = field(default_factory=dict)
    outcome: str = "refused"


@dataclass(frozen=True, slots=True)
class Failure:
    """Something broke: an error's type, message and fix, with the passages found before it. Never a refusal."""

    question: str
    error_type: str
    message: str
    fix: str
    passages: tuple[Passage, ...] = ()
    understood: Understood | None = None
    model: str = "extractive"
    warnings: tuple[str, ...] = ()
    ms: dict[str, float] = field(default_factory=dict)
    outcome: str = "failed"


Reply = Answer | Refusal | Failure
