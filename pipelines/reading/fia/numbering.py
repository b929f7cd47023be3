"""The numbers of articles: how they are printed, how odd ones are mended, and how they nest."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A printed number: C3.10.10, 3.6.1, D.11.1.2, C9.11., 5.2.3, C5.12.f, or one number alone.
PRINTED = re.compile(r"^([A-F])?\.?(\d+(?:\.\d+)*)(?:\.([a-z]))?\.?:?$")
LETTERED = re.compile(r"^[A-F]\.?\d+(?:\.\d+)+\.?$")
REPLACED = re.compile(r"\[?\s*(?:Replaced|Superseded) by\b\s*(.*?)\s*\]?\s*$", re.IGNORECASE)
VOID = re.compile(r"^\W*(?:VOID|INTENTIONALLY (?:LEFT )?BLANK|DELETED|RESERVED)\W*$", re.IGNORECASE)
_TARGET = re.compile(r"\b([A-F]\d+(?:\.\d+)*(?:\.?\(?[a-z]\)?)?)(?![\w.]*\w)|\bArt(?:icle)?\.?\s*(\d+(?:\.\d+)*)")
_APPENDIX = re.compile(r"\bAppendix ([A-F]\d+)\b")


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number and what it was mended to; they are equal for most."""

    article: str
    printed: str


def parse(printed: str, *, letter: str, parent: str, previous: str, appendix: str = "") -> Number | None:
    """Read a number printed in the margin.

    Args:
        printed: the characters of the number, "C4.6.2".
        letter: the section's letter, "" for a document that numbers its articles without one.
        parent: the article or sub-article last opened, "C14.6", "" for none.
        previous: the number before, "C14.6.1", "" for none.
        appendix: the appendix that the number stands in, "APP C2", for numbers without a letter; else "".

    Returns:
        None when the characters are no number. Mended are: a point after the letter, a missing letter, a letter in the
        place of the last number, and another article's number where the next number of this one is due.
    """
    match = PRINTED.match(printed.strip())
    if not match:
        return None
    own, digits, tail = match[1] or "", match[2], match[3] or ""
    shown = printed.strip().rstrip(":")
    if appendix and not own:
        return Number(f"{appendix}.{digits}", shown)
    if tail:
        due = _next(previous)
        if due and _parent(due) == (own or letter) + digits:
            return Number(due, shown)
        digits = f"{digits}.{ord(tail) - 96}"
    article = (own or letter) + digits
    due = _due(article, parent, previous)
    return Number(due or article, shown)


def _due(article: str, parent: str, previous: str) -> str:
    """The number that should have been printed where another article's stands with the same end; "" if all is well."""
    own_root, _, end = article.partition(".")
    root = parent.split(".")[0]
    if not parent or own_root == root or not end:
        return ""
    expected = _next(previous) if _parent(previous) == parent else f"{parent}.1"
    return expected if expected and expected.partition(".")[2] == end else ""


def _next(article: str) -> str:
    """The number that follows: C14.6.1 -> C14.6.2."""
    head, _, last = article.rpartition(".")
    return f"{head}.{int(last) + 1}" if head and last.isdigit() else ""


def _parent(article: str) -> str:
    return article.rpartition(".")[0]


def ancestors(article: str) -> list[str]:
    """The ids above an article, outermost first: C3.10.10 -> C3, C3.10; APP C2.1.7 -> APP C2, APP C2.1."""
    parts = article.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def replaced_by(text: str) -> str:
    """What "[Replaced by ...]" names, as ids parted by commas ("A7.10.1, A7.10.2", "APP A3.4.1"); "" for other text."""
    match = REPLACED.search(" ".join(text.split()))
    if not match:
        return ""
    names = match[1]
    appendix = _APPENDIX.search(names)
    found = []
    for target in _TARGET.finditer(_APPENDIX.sub("", names)):
        if target[1]:
            found.append(target[1] if "(" in target[1] else target[1].rstrip(".)"))
        elif appendix and target[2]:
            found.append(f"APP {appendix[1]}.{target[2]}")
        elif target[2]:
            found.append(target[2])
    return ", ".join(found) or (f"APP {appendix[1]}" if appendix else names.strip("[] "))
