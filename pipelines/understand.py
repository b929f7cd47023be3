"""What a question says, understood without a language model.

Ids in any spelling, sections, defined terms, volumes and years; misspellings; everyday words for the regulations' own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pipelines.bm25 import fold
from pipelines.conversation import resolve
from pipelines.glossary import load_glossary
from pipelines.library import term_key
from pipelines.schema import Understood

if TYPE_CHECKING:
    from pipelines.library import Library

_PU_MAKERS = r"(?:power unit|pu|engine) (?:manufacturers?|makers?|suppliers?)"
_SECTION_WORDS = (
    ("A", re.compile(r"\bgeneral provisions?\b|\bsection a\b", re.IGNORECASE)),
    ("B", re.compile(r"\bsporting\b|\bsection b\b", re.IGNORECASE)),
    ("C", re.compile(r"\btechnical\b(?! (?:directives?|delegates?|centres?))|\bsection c\b", re.IGNORECASE)),
    ("D", re.compile(r"\bteams?(?:'s|’s|s’)? (?:financial|cost cap)\b|\bsection d\b", re.IGNORECASE)),
    ("E", re.compile(rf"\b{_PU_MAKERS}(?:'s|’s|s’|')? (?:financial|cost cap)\b|\bsection e\b", re.IGNORECASE)),
    ("F", re.compile(r"\boperational\b|\bsection f\b", re.IGNORECASE)),
)
_LETTERED = re.compile(r"(?<![\w.])([A-Fa-f])\s?\.?\s?(\d{1,2}(?:\s?\.\s?\d{1,2}){0,4})(?![\w])(?!\.\d)")
_NUMBERED = re.compile(r"(?<![\w.,])(\d{1,2}(?:\.\d{1,2}){1,4})(?![\w%])(?!\.\d)")
_APPENDIX = re.compile(r"\bapp(?:endix|\.)?\s*([A-Fa-f])\s?\.?\s?(\d{1,2})\b", re.IGNORECASE)
_ARTICLE_WORD = re.compile(r"\b(?:article|art\.?|clause|rule|regulation|section|paragraph|para|§)\s*$", re.IGNORECASE)
_VOLUME = re.compile(r"\bRV[-_ ][A-Z0-9]+(?:[-_ ][A-Z0-9]+)*\b")
_VOLUME_ANY = re.compile(r"\brv[-_][a-z0-9]+(?:[-_][a-z0-9]+)*\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"‘']([^”\"’']{2,80})[”\"’']")
_DEFINING = re.compile(
    r"\b(?:defin\w*|meanings?|means?|meant|what (?:exactly )?(?:is|are|does|do|counts?|qualif\w+)|"
    r"who (?:is|are|counts?|qualif\w+)|counts? as|qualif\w+ as|stands? for|terms?|explain)\b",
    re.IGNORECASE,
)
_PLAIN_WORD = re.compile(r"(?<![\w.\-])[^\W\d_]+(?![\w\-])")
SHORTEST_CORRECTED = 5
MOST_TERM_WORDS = 8
_YEAR = re.compile(r"\b(20[2-4]\d)\b")


def understand(
    question: str, library: Library, history: Sequence[str] = (), known: Callable[[str], bool] | None = None
) -> Understood:
    """What a question asks for, against what the library holds.

    Args:
        question: as it was typed.
        library: the indexed clauses: an id or a term that is in none of them is not understood as one.
        history: the conversation's earlier questions, oldest first.
        known: whether a word is an English one, which is never taken for a misspelling of another.
    """
    resolved = resolve(question, history)
    text, corrections = correct(resolved.question, library, known)
    section = section_named(text)
    articles = articles_named(text, section, library) or tuple(a for a in resolved.articles if library.has_article(a))
    year = _YEAR.search(text)
    return Understood(
        question=text,
        articles=articles,
        section=section,
        terms=(*volumes_named(text), *terms_named(text, library)),
        corrections=corrections,
        expansions=load_glossary().expansions(text),
        year=year.group(1) if year else "",
        follow_up=resolved.follow_up,
    )


def section_named(text: str) -> str:
    """The letter of the one section that the words name, "" for none or several."""
    letters = {letter for letter, pattern in _SECTION_WORDS if pattern.search(text)}
    return letters.pop() if len(letters) == 1 else ""


def articles_named(text: str, section: str, library: Library) -> tuple[str, ...]:
    """The ids of articles and appendices in the text, as the library spells them.

    ``c5.2.3``, ``C 5.2.3`` and ``B 1.6`` stand for themselves; a number without a letter needs a word such as article
    before it, or three numbers, and takes the section that the text names, else every section that has it.
    """
    found: dict[str, None] = {}
    for match in _APPENDIX.finditer(text):
        _add(found, f"APP {match[1].upper()}{match[2]}", library)
    rest = _APPENDIX.sub(" ", text)
    for match in _LETTERED.finditer(rest):
        letter, number = match[1], re.sub(r"\s", "", match[2])
        # "a 5 second penalty" and "drivers b 2" are no ids: a lone small letter needs a number with a full stop.
        if "." in number or (letter.isupper() and match[0][1].isdigit()) or _ARTICLE_WORD.search(rest[: match.start()]):
            _add(found, f"{letter.upper()}{number}", library)
    for match in _NUMBERED.finditer(_LETTERED.sub(" ", rest)):
        before = _LETTERED.sub(" ", rest)[: match.start()]
        if match[1].count(".") >= 2 or _ARTICLE_WORD.search(before):
            for letter in section or "ABCDEF":
                _add(found, f"{letter}{match[1]}", library)
    return tuple(found)


def volumes_named(text: str) -> tuple[str, ...]:
    """The names of reference volumes in the text, in capitals and with hyphens."""
    matches = [*_VOLUME.findall(text), *_VOLUME_ANY.findall(text)]
    return tuple(dict.fromkeys(re.sub(r"[_ ]", "-", match).upper() for match in matches))


def terms_named(text: str, library: Library) -> tuple[str, ...]:
    """The defined terms that the text asks the meaning of: in quotation marks, or in a question for a definition.

    Of terms within one another the longest counts: the Reporting Group Entity, not the Reporting Group.
    """
    found = {term_key(term): None for term in _QUOTED.findall(text) if term_key(term) in library.terms}
    if _DEFINING.search(text):
        words = term_key(re.sub(r"[?!,;:()]", " ", text)).split()
        place = 0
        while place < len(words):
            length = _longest_term(words[place:], library)
            if length:
                found[" ".join(words[place : place + length])] = None
            place += length or 1
    return tuple(found)


def correct(
    text: str, library: Library, known: Callable[[str], bool] | None = None
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text with misspelt words set right, and what was set right: (as typed, as meant).

    A word is misspelt where neither the library, the glossary nor ``known`` has it, and one letter added, left out,
    changed or swapped makes a word of the library that begins alike.
    """
    glossary = {word for phrase in load_glossary().said for word in phrase.split()}
    corrections: dict[str, str] = {}
    for match in _PLAIN_WORD.finditer(text):
        word = fold(match.group())
        if len(word) < SHORTEST_CORRECTED or word in corrections or library.has_word(word) or word in glossary:
            continue
        if known is not None and known(word):
            continue
        meant = library.closest_word(word)
        if meant:
            corrections[word] = meant
    if not corrections:
        return text, ()
    corrected = _PLAIN_WORD.sub(lambda match: corrections.get(fold(match.group()), match.group()), text)
    return corrected, tuple(corrections.items())


def _longest_term(words: Sequence[str], library: Library) -> int:
    """How many of the first words make a defined term, 0 where none do; a plural counts as its singular."""
    for length in range(min(len(words), MOST_TERM_WORDS), 0, -1):
        term = " ".join(words[:length])
        if term in library.terms:
            return length
    return 0


def _add(found: dict[str, None], article: str, library: Library) -> None:
    if library.has_article(article):
        found[article] = None
