"""Everyday words and the words the regulations use for the same thing, from a reviewed file."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipelines.bm25 import fold

FILE = Path(__file__).parent / "data" / "glossary.toml"


@dataclass(frozen=True, slots=True)
class Glossary:
    """``entries`` pair what people say, as one pattern, with what the regulations write."""

    entries: tuple[tuple[re.Pattern[str], str], ...]
    said: frozenset[str]

    def expansions(self, text: str) -> tuple[str, ...]:
        """What the regulations write for what a text says, in the text's order; nothing it says already."""
        plain = fold(text)
        return tuple(dict.fromkeys(written for _, written in self.matches(text) if fold(written) not in plain))

    def matches(self, text: str) -> list[tuple[str, str]]:
        """What a text says, without accents and in lower case, and what the regulations write for it, in order."""
        plain = fold(text)
        found = [(match, written) for pattern, written in self.entries if (match := pattern.search(plain))]
        found.sort(key=lambda one: (one[0].start(), one[1]))
        return [(match.group(), written) for match, written in found]


@lru_cache(maxsize=1)
def load_glossary(path: Path = FILE) -> Glossary:
    """Read a glossary file: ``[[entry]]`` tables of ``said`` (phrases) and ``written`` (words)."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    entries = []
    said: set[str] = set()
    for entry in data["entry"]:
        phrases = sorted({fold(phrase) for phrase in entry["said"]}, key=len, reverse=True)
        said.update(phrases)
        either = "|".join(re.escape(phrase) for phrase in phrases)
        entries.append((re.compile(rf"(?<![\w-])(?:{either})(?:'?s|es)?(?![\w-])"), str(entry["written"])))
    return Glossary(tuple(entries), frozenset(said))
