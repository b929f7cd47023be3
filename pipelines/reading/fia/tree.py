"""The article tree: lines, tables and figures of a regulation sorted under their articles, terms and subheadings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pipelines.reading.fia import numbering
from pipelines.reading.fia.blocks import Block, is_bold
from pipelines.reading.fia.compose import begins_paragraph, is_omission
from pipelines.reading.fia.definitions import defined_term
from pipelines.reading.fia.lines import Figure, Item, Line, first_token, is_live, label_of
from pipelines.reading.fia.marks import words
from pipelines.reading.fia.page import Glyph
from pipelines.reading.fia.tables import Table
from pipelines.schema import Kind

# Points that a number may stand off the margin, and the least gap between a number that is not bold and its words.
_MARGIN = 4.0
_TAB = 8.0

_ARTICLE = re.compile(r"^(?:ARTICLE|Article)\s+([A-F]?)\s?(\d+)\s*[:.)–-]?\s*(.*)$")
_APPENDIX = re.compile(r"^(?:APPENDIX|Appendix)\s+([A-F]?)\s?(\d+|[A-Z])\s*[:.)–-]?\s*(.*)$")
_CAPITALS = re.compile(r"^(?:ARTICLE|APPENDIX)\s+[A-F]?\s?\d+\b(?!\.\d)(?!,)")
_YEAR = re.compile(r"^(?:Approved )?Changes\b.{0,80}?\b(20\d\d)\b", re.IGNORECASE)
_PART = re.compile(r"^PART\s+[A-Z0-9]\b\s*[:.–-]*\s*(.*)$")
_PREAMBLE = re.compile(r"^(PREAMBLE|FOREWORD|INTRODUCTION)$")
_CAPTION = re.compile(r"^(?:Table|Figure|Fig\.|Note|Drawing)\b", re.IGNORECASE)
_TABLE_TITLE = re.compile(r"^(\d{1,2})\.\s+([A-Z].*)$")
_REFERENCE = re.compile(r"^[A-F]\.?\d+(?:\.\d+)+")
_DEFINITIONS = re.compile(r"\bDEFINITIONS?\b", re.IGNORECASE)


class Tree:
    """Walks the items of a document in reading order and keeps the blocks found so far."""

    def __init__(self, items: Sequence[Item], *, letter: str, lettered: bool) -> None:
        self._letter = letter if lettered else ""
        lines = [item for item in items if isinstance(item, Line) and item.ink]
        self.margin = margin_of(lines)
        self._bold = bold_numbers(lines, self.margin)
        self.step = step_of(lines)
        self.blocks: list[Block] = []
        self.references: list[tuple[str, int]] = []  # ids at the start of a line that open nothing
        self.governance: dict[tuple[str, str], list[str]] = {}
        self._titles: dict[tuple[str, str], str] = {}
        self._host = ""  # the appendix that is open, "APP C2"
        self._changes = ""  # the appendix whose changes for later years are open
        self._year = ""
        self._part = ""
        self._parent = ""
        self._previous = ""
        self._definitions = False
        self._deleted = False
        self._before: Line | None = None
        self._titling: Line | None = None
        for item in items:
            self._take(item)

    def _take(self, item: Item) -> None:
        if isinstance(item, Table | Figure):
            self._before = self._titling = None
            if isinstance(item, Table):
                self._refer([row[0].text for row in item.rows if row and row[0].col == 0], item.page)
            if not self.blocks:
                self._open(Kind.APPENDIX, self._host or "PREAMBLE", "", item.page)
            if isinstance(item, Table):
                self._take_titled_table(item)
            self.blocks[-1].items.append(item)
            return
        if not item.ink:
            return
        if is_omission(item.text):
            for glyph in item.live:
                glyph.drop = "omission_mark"
        if item.live:
            self._take_live(item)
        else:
            self._take_struck(item)
        self._govern(item)
        self._before = item

    def _take_titled_table(self, table: Table) -> None:
        """In an appendix a table under a numbered title ("6. FLUIDS") of its own is an article of the appendix."""
        cells = [cell for cell in table.rows[0] if cell.text] if table.rows else []
        match = _TABLE_TITLE.match(cells[0].text) if len(cells) == 1 else None
        if match and self._host and self._host != self._changes:
            self._open(Kind.CLAUSE, f"{self._host}.{match[1]}", match[1], table.page, title=match[2], numbered=True)

    def _refer(self, texts: Iterable[str], page: int) -> None:
        """Note the article ids that open a line or a table row and no clause."""
        matches = (_REFERENCE.match(text) for text in texts)
        self.references += [(match[0], page) for match in matches if match]

    def _take_struck(self, line: Line) -> None:
        """A line without words in force: one that begins with a number of its own changes no other clause."""
        token = first_token([glyph for glyph in line.glyphs if glyph.struck])
        text = "".join(glyph.text for glyph in token)
        if token and token[0].x0 <= self.margin + _MARGIN and numbering.LETTERED.match(text):
            self._deleted = True
        if self.blocks and not self._deleted:
            self.blocks[-1].items.append(line)

    def _take_live(self, line: Line) -> None:
        self._deleted = False
        if self._continue_title(line):
            return
        self._titling = None
        at_margin = line.live[0].x0 <= self.margin + _MARGIN
        if at_margin and (self._take_heading(line) or self._take_number(line)):
            return
        self._refer([line.text], line.page)
        if self._host and self._take_appendix_line(line, at_margin=at_margin):
            return
        if not self.blocks:
            self._open(Kind.APPENDIX, self._host or "PREAMBLE", "", line.page)
        self.blocks[-1].items.append(line)

    def _take_heading(self, line: Line) -> bool:
        """ARTICLE, APPENDIX, PREAMBLE, "Changes for 2027" and PART lines at the margin, in bold or capitals."""
        text = line.text
        if not is_bold(line.live) and not _CAPITALS.match(text):
            return False
        if self._host and (match := _YEAR.match(text)):
            self._changes = self._changes or self._host
            self._year, self._host, self._part = match[1], self._changes, ""
            self._parent = self._previous = ""
            self._definitions = False
            self._open(Kind.APPENDIX, self._changes, "", line.page, title=text, heading=line)
            self.blocks[-1].silent = True
        elif match := _APPENDIX.match(text):
            self._open_appendix(f"APP {match[1]}{match[2]}", match[3], line)
        elif match := _ARTICLE.match(text):
            article = f"{match[1] or self._letter}{match[2]}"
            if not self._year:
                self._host = self._changes = ""
            self._part = ""
            self._definitions = False
            self._host = self._changes if self._year else ""
            self._parent, self._previous = article, ""
            self._titles[self._year, article] = match[3]
            self._open(Kind.CLAUSE, article, f"{match[1]}{match[2]}", line.page, title=match[3], heading=line)
        elif self._host and (match := _PART.match(text)):
            self._part = text
            self._definitions = self._definitions or bool(_DEFINITIONS.search(text))
            self._open(Kind.APPENDIX, self._host, "", line.page, title=text, heading=line)
            self.blocks[-1].silent = True
        elif _PREAMBLE.match(text) and not self._host:
            self._open(Kind.CLAUSE, "PREAMBLE", "", line.page, title=text, heading=line)
        else:
            return False
        self._titling = line
        return True

    def _open_appendix(self, name: str, title: str, line: Line) -> None:
        """An appendix; one that stands among the changes for a year, with a number already passed, is part of them."""
        if self._year and _order(name) > _order(self._changes):
            self._year = self._changes = ""
        self._host, self._part = name, ""
        self._parent = self._previous = ""
        self._definitions = bool(_DEFINITIONS.search(title))
        self._titles[self._year, name] = title
        self._open(Kind.APPENDIX, name, "", line.page, title=title, heading=line)

    def _take_number(self, line: Line) -> bool:
        token = first_token([glyph for glyph in line.glyphs if not glyph.struck and not glyph.drop])
        printed = "".join(glyph.text for glyph in token)
        appendix = self._host if self._host and not (self._year and self._host == self._changes) else ""
        number = numbering.parse(
            printed, letter=self._letter, parent=self._parent, previous=self._previous, appendix=appendix
        )
        if number is None:
            return False
        rest = [glyph for glyph in line.live if not any(glyph is own for own in token)]
        if not self._opens_clause(printed, token, rest, in_appendix=bool(appendix)):
            return False
        self._open(Kind.CLAUSE, number.article, number.printed, line.page, numbered=True)
        block = self.blocks[-1]
        for glyph in token:
            glyph.drop = "clause_number"
        if not rest:
            self._titles[self._year, number.article] = ""
        elif is_bold(rest) and not _is_sentence(rest):
            self._set_title(block, _after(line, token), rest)
            self._titling = line
        else:
            block.items.append(line)
        self._before = None
        self._previous = number.article
        if number.article.count(".") <= 1:
            self._parent = number.article
        return True

    def _opens_clause(self, printed: str, token: list[Glyph], rest: list[Glyph], *, in_appendix: bool) -> bool:
        """A number in bold, or one set off by a tab where the document's numbers are not bold.

        A number of one part opens nothing outside an appendix. The full stop that ends a bold number may be plain.
        """
        deep = "." in printed.strip(".")
        figures = token[:-1] if printed.endswith(".") else token
        if figures and all(glyph.bold for glyph in figures):
            alone = in_appendix and len(printed.strip(".")) <= 2
            return deep or (alone and (not rest or rest[0].x0 - token[-1].x1 > _TAB))
        return (
            not self._bold
            and deep
            and bool(rest)
            and rest[0].x0 - token[-1].x1 > _TAB
            and rest[0].x0 > self.margin + 3 * _TAB
        )

    def _set_title(self, block: Block, title: str, glyphs: list[Glyph]) -> None:
        block.title = f"{block.title} {title}".strip()
        self._titles[block.year, block.article] = block.title
        block.heading += glyphs
        for glyph in glyphs:
            glyph.drop = "heading"

    def _continue_title(self, line: Line) -> bool:
        """The second line of a heading that fills its first: same weight and colour, and no number or label."""
        first = self._titling
        if first is None or not self.blocks or line.page != first.page or self.blocks[-1].has_words:
            return False
        inked = first.ink[-1]
        close = line.baseline - first.baseline <= 1.65 * first.size
        alike = is_bold(line.live) and line.live[0].color == inked.color and abs(line.size - inked.size) < 0.6
        word = first_token(line.glyphs)
        filled = bool(word) and word[-1].x1 - word[0].x0 + 6 > first.right - first.x1
        text = line.text
        if not (close and alike and filled) or label_of(line) or _APPENDIX.match(text) or _ARTICLE.match(text):
            return False
        self._set_title(self.blocks[-1], text, line.live)
        self._titling = line
        return True

    def _take_appendix_line(self, line: Line, *, at_margin: bool) -> bool:
        """Definitions and subheadings of an appendix; anything else belongs to what is open."""
        before = self._before
        paragraph = before is None or begins_paragraph(before, line, self.step)
        block = self.blocks[-1]
        ended = before is not None and before.page != line.page and before.text.endswith(".")
        if self._definitions and (paragraph or ended) and not label_of(line) and (term := defined_term(line)):
            self._open(Kind.DEFINITION, self._host, "", line.page, term=term)
            self.blocks[-1].items.append(line)
            return True
        subheading = (
            at_margin
            and paragraph
            and not block.numbered
            and is_bold(line.live)
            and not _CAPTION.match(line.text)
            and not _is_sentence(line.live)
            and len(line.text) > 3
        )
        if subheading:
            self._open(Kind.APPENDIX, self._host, "", line.page, title=line.text, heading=line)
            self._titling = line
        return bool(subheading)

    def _govern(self, line: Line) -> None:
        """Governance words of a line go to the clause that is open if it has words, else to its heading."""
        red = [glyph for glyph in line.glyphs if glyph.drop == "governance" or glyph.raw.isspace()]
        if not self.blocks or all(glyph.raw.isspace() for glyph in red):
            return
        block = self.blocks[-1]
        if block.has_words:
            block.governance.append(words(red))
        else:
            self.governance.setdefault((block.year, block.part or block.article), []).append(words(red))

    def _open(
        self,
        kind: Kind,
        article: str,
        printed: str,
        page: int,
        *,
        title: str = "",
        term: str = "",
        numbered: bool = False,
        heading: Line | None = None,
    ) -> None:
        block = Block(kind, article, printed or article, page, self._year, term, title, self._part, numbered)
        block.path = tuple(self._path(article, block))
        self.blocks.append(block)
        if heading is not None:
            block.heading += heading.glyphs
            for glyph in heading.live:
                glyph.drop = "heading"

    def _path(self, article: str, block: Block) -> Iterable[tuple[str, str]]:
        if self._year:
            yield self._changes, self._titles.get(("", self._changes), "")
            yield "", f"Changes for {self._year}"
        for above in numbering.ancestors(article):
            title = self._titles.get((self._year, above), "") or self._titles.get(("", above), "")
            yield above, title
        if block.kind is Kind.DEFINITION or (block.kind is Kind.APPENDIX and article != self._changes and block.title):
            title = self._titles.get((self._year, article), "")
            if block.kind is Kind.DEFINITION or block.title != title:
                yield article, title
        if block.part and block.title != block.part:
            yield "", block.part


def _after(line: Line, token: list[Glyph]) -> str:
    """The words in force of a line behind its first ones."""
    own = {id(glyph) for glyph in token}
    return words([glyph for glyph in line.glyphs if not glyph.struck and not glyph.drop and id(glyph) not in own])


def margin_of(lines: Sequence[Line]) -> float:
    """The x at which article numbers stand: the most frequent start of lines that begin with one."""
    starts: Counter[float] = Counter()
    for line in lines:
        live = line.live
        if not live:
            continue
        text = "".join(glyph.text for glyph in first_token(line.glyphs))
        if numbering.LETTERED.match(text) or re.match(r"^\d+\.\d+(\.\d+)*$", text):
            starts[round(live[0].x0)] += 1
    if not starts:
        return min((line.x0 for line in lines), default=0.0)
    usual = [start for start, count in starts.items() if count >= 0.3 * max(starts.values())]
    return min(usual)


def bold_numbers(lines: Sequence[Line], margin: float) -> bool:
    """True when at least half of the numbers that stand at the margin are set in bold."""
    bold = plain = 0
    for line in lines:
        token = first_token(line.live) if line.x0 <= margin + _MARGIN else []
        if token and "." in (text := "".join(glyph.text for glyph in token)) and numbering.PRINTED.match(text):
            if all(glyph.bold for glyph in token):
                bold += 1
            else:
                plain += 1
    return bold >= plain


def step_of(lines: Sequence[Line]) -> float:
    """The usual distance between the lines of a paragraph, in points."""
    steps = Counter(
        round((line.baseline - before.baseline) * 2) / 2
        for before, line in pairwise(lines)
        if line.page == before.page and 0 < line.baseline - before.baseline < 3 * line.size
    )
    return steps.most_common(1)[0][0] if steps else 15.0


def _is_sentence(glyphs: Sequence[Glyph]) -> bool:
    """True for bold words that are wording of the law: they end in a full stop or semicolon, or quote a term."""
    text = "".join(glyph.text for glyph in glyphs if is_live(glyph))
    return bool(re.search(r"[.;,]$", text)) or text.startswith(("“", '"'))


def _order(appendix: str) -> int:
    digits = re.sub(r"\D", "", appendix)
    return int(digits) if digits else 0
