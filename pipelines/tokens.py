"""How long a text is for a language model, counted without a network.

``tiktoken`` fetches its vocabularies when they are first used. Here a vocabulary is only ever read from disk: the
model's own ``tokenizer.json`` where a setting names one, else a vocabulary that is already on the machine (in
``TIKTOKEN_CACHE_DIR``, or the copy that llama-index carries), else an estimate that is meant to be too high.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipelines.errors import ModelNotFound

ESTIMATE = "estimate"
_BYTES_A_TOKEN = 3.0  # English law text measures 4.2 or more; a low divisor keeps the estimate on the safe side
_CACHE = "TIKTOKEN_CACHE_DIR"
_ENVIRONMENT = threading.Lock()
# tiktoken's name of the cached file (the SHA-1 of its address) and the SHA-256 that tiktoken expects of it
_VOCABULARIES = {
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
_O200K_MODELS = ("gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4", "gpt-oss")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens; ``name`` says by what: a file, a tiktoken vocabulary, or ``estimate``."""

    name: str
    count: Callable[[str], int]


def token_counter(model: str = "", tokenizer: str = "") -> TokenCounter:
    """The best counter for a model that needs no network.

    Args:
        model: the model's name, which tells the vocabulary.
        tokenizer: path of the model's ``tokenizer.json``; wins where given.

    Raises:
        ModelNotFound: ``tokenizer`` names no readable tokenizer file.
    """
    if tokenizer:
        return _from_file(Path(tokenizer))
    name = "o200k_base" if any(model.rpartition("/")[2].startswith(known) for known in _O200K_MODELS) else "cl100k_base"
    return _from_vocabulary(name) or TokenCounter(ESTIMATE, estimate)


def estimate(text: str) -> int:
    """Tokens of a text, estimated from its bytes; rather too many than too few."""
    return math.ceil(len(text.encode()) / _BYTES_A_TOKEN)


@lru_cache(maxsize=4)
def _from_file(path: Path) -> TokenCounter:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for every kind of unreadable file
        raise ModelNotFound(f"no tokenizer at {path}", "Set TECHREG_LLM_TOKENIZER to a tokenizer.json file") from error
    return TokenCounter(str(path), lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids))


@lru_cache(maxsize=4)
def _from_vocabulary(name: str) -> TokenCounter | None:
    """A tiktoken encoding whose vocabulary file is on this machine, whole; None where it would be fetched."""
    file, sha256 = _VOCABULARIES[name]
    for folder in _vocabulary_folders():
        path = folder / file
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            break
    else:
        return None
    import tiktoken

    with _ENVIRONMENT:
        before = os.environ.get(_CACHE)
        os.environ[_CACHE] = str(folder)
        try:
            encoding = tiktoken.get_encoding(name)
        finally:
            os.environ.pop(_CACHE) if before is None else os.environ.update({_CACHE: before})
    return TokenCounter(name, lambda text: len(encoding.encode_ordinary(text)))


def _vocabulary_folders() -> list[Path]:
    """Where vocabularies may lie: tiktoken's own cache, and the copy that llama-index carries."""
    folders = [Path(os.environ[key]) for key in (_CACHE, "DATA_GYM_CACHE_DIR") if os.environ.get(key)]
    core = importlib.util.find_spec("llama_index.core") if importlib.util.find_spec("llama_index") else None
    if core is not None and core.submodule_search_locations:
        folders.append(Path(next(iter(core.submodule_search_locations))) / "_static" / "tiktoken_cache")
    return folders
