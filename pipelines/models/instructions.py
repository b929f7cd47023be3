"""What a model wants in front of a question or a passage. Some were trained with an instruction, for one side only."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Instructions:
    """What stands before a question, and before a passage; "" for nothing."""

    query: str = ""
    text: str = ""


_BGE = Instructions(query="Represent this sentence for searching relevant passages: ")
_FAMILIES: tuple[tuple[re.Pattern[str], Instructions], ...] = (
    (re.compile(r"bge-(?:small|base|large)-en", re.IGNORECASE), _BGE),
    (
        re.compile(r"bge-(?:small|base|large)-zh", re.IGNORECASE),
        Instructions(query="为这个句子生成表示以用于检索相关文章："),
    ),
    (re.compile(r"snowflake-arctic-embed", re.IGNORECASE), _BGE),
    (re.compile(r"(?:^|[/_-])e5-(?:small|base|large)", re.IGNORECASE), Instructions("query: ", "passage: ")),
)


def instructions(name: str, folder: Path, query: str | None = None, text: str | None = None) -> Instructions:
    """The instructions of a model: as set, else as its own files say, else by its family's name.

    Args:
        name: the name it was asked for by, a hub name or a path.
        folder: where its files are; their prompts win over the name's family.
        query: the setting for questions; None where it is not set.
        text: the setting for passages; None where it is not set.
    """
    found = _declared(folder) or _by_family(name, folder)
    return Instructions(found.query if query is None else query, found.text if text is None else text)


def _declared(folder: Path) -> Instructions | None:
    """The prompts in the model's own sentence-transformers file, where it has any."""
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts")
    if not isinstance(prompts, dict):
        return None
    query = str(prompts.get("query") or "")
    text = next((str(prompts[key]) for key in ("document", "passage", "text") if prompts.get(key)), "")
    return Instructions(query, text) if query or text else None


def _by_family(name: str, folder: Path) -> Instructions:
    """By the hub name, the folder's name (the hub cache's too), or the name its files were saved under."""
    origin = str(_json(folder / "config.json").get("_name_or_path", ""))
    snapshot = folder.resolve().parent.parent.name  # models--BAAI--bge-small-en-v1.5/snapshots/<commit>
    for candidate in (name, folder.resolve().name, snapshot, origin):
        for pattern, found in _FAMILIES:
            if pattern.search(candidate):
                return found
    return Instructions()


def _json(path: Path) -> dict[str, object]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
