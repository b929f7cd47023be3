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
        found = [(match.start(), written) for pattern, written in self.entries if (match := pattern.search(plain))]
        return tuple(dict.fromkeys(written for _, written in sorted(found) if fold(written) not in plain))


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
