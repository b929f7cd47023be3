"""Text to vectors for the sweep, kept by model and text hash, so that conditions share what they have in common."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.sweep.units import Spans
from pipelines.late_interaction import FITTED, FITTED_FOLDER, QuestionVectors, TokenVectors
from pipelines.models.embedding import Embedder, embedder_identity, load_embedder
from pipelines.models.files import model_folder
from pipelines.settings import Settings

Floats = NDArray[np.float32]
Vectors = tuple[bytes, bytes]
"""A text's dense vector as float32, and its token vectors where the model has any, both as bytes."""
Map = Callable[[Callable[..., list[Vectors]], Sequence[tuple[object, ...]]], Iterable[tuple[int, list[Vectors]]]]
BATCH = 256


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model by the name of the setting; ``fingerprint`` tells it from any other."""

    name: str
    fingerprint: str
    threads: int = 0

    @classmethod
    def named(cls, name: str, threads: int = 0) -> Model:
        """The model of a name.

        Raises:
            ModelNotFound: it is not on this machine.
        """
        identity = embedder_identity(_settings(name, threads))
        told = f"{identity.fingerprint}-{identity.query_instruction}-{identity.text_instruction}"
        return cls(name, hashlib.sha256(told.encode()).hexdigest()[:16], threads)

    def spans(self) -> Spans:
        """Its tokens of a text, as spans of characters, without special tokens."""
        return _spans(self.name)

    @property
    def window(self) -> int:
        """The most tokens that it sees of a passage, two special ones included."""
        return _loaded(self.name, self.threads).window

    @property
    def dense_weight(self) -> float:
        """The weight of its ranks beside those of the words."""
        return _loaded(self.name, self.threads).dense_weight


class VectorCache:
    """Vectors by model and text hash, in one SQLite file."""

    def __init__(self, path: Path) -> None:
        """Open the file; it is made if need be."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(path)
        self._base.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, dense BLOB, tokens BLOB)")

    def missing(self, model: Model, texts: Iterable[str]) -> list[str]:
        """The texts that have no vector yet, each once."""
        unique = list(dict.fromkeys(texts))
        have = self._base.execute
        return [
            text for text in unique if not have("SELECT 1 FROM vectors WHERE key = ?", (_key(model, text),)).fetchone()
        ]

    def fill(self, model: Model, texts: Iterable[str], map_: Map) -> int:
        """Embed what is missing, in batches of similar length that ``map_`` hands out; how many that were."""
        wanted = sorted(self.missing(model, texts), key=len)
        batches = [wanted[start : start + BATCH] for start in range(0, len(wanted), BATCH)]
        for number, vectors in map_(encode, [(model, batch) for batch in batches]):
            rows = [(_key(model, text), *pair) for text, pair in zip(batches[number], vectors, strict=True)]
            with self._base:
                self._base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        return len(wanted)

    def get(self, model: Model, text: str) -> tuple[Floats, TokenVectors | None]:
        """The vectors of a text that was filled in."""
        row = self._base.execute("SELECT dense, tokens FROM vectors WHERE key = ?", (_key(model, text),)).fetchone()
        return np.frombuffer(row[0], dtype=np.float32), TokenVectors.from_bytes(row[1]) if row[1] else None

    def close(self) -> None:
        """Close the file."""
        self._base.close()


def encode(model: Model, texts: Sequence[str]) -> list[Vectors]:
    """The vectors of texts that fit the model's window; run in a worker."""
    if model.name == FITTED:
        from pipelines.models.fitted import encoder

        dense, tokens = encoder(FITTED_FOLDER, model.threads).passages(list(texts))
        return [(row.astype(np.float32).tobytes(), one.to_bytes()) for row, one in zip(dense, tokens, strict=True)]
    rows = _loaded(model.name, model.threads).model.get_text_embedding_batch(list(texts))
    return [(np.asarray(row, dtype=np.float32).tobytes(), b"") for row in rows]


def pieces(model: Model, text: str) -> list[str]:
    """A text in runs that the model sees whole: nothing is cut off silently, whatever the chunk's size."""
    size = model.window - 2
    tokens = model.spans()(text)
    if len(tokens) <= size:
        return [text]
    runs = (tokens[start : start + size] for start in range(0, len(tokens), size))
    return [text[run[0][0] : run[-1][1]] for run in runs]


def dense_of(parts: Sequence[Floats], lengths: Sequence[int]) -> Floats:
    """One unit vector for a text of several pieces: the direction of their sum, each weighed by its tokens."""
    weights = np.asarray(lengths, dtype=np.float32)[:, None]
    total = np.sum(np.stack(parts) * np.maximum(weights, 1.0), axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), dtype=np.float32)


def tokens_of(parts: Sequence[TokenVectors]) -> TokenVectors:
    """The token vectors of a text of several pieces."""
    if len(parts) == 1:
        return parts[0]
    return TokenVectors.of(np.concatenate([one.values.astype(np.float32) * one.scale for one in parts]))


def questions(model: Model, texts: Mapping[str, str], passages: bool = False) -> dict[str, Floats]:
    """Dense question vectors by id; ``passages`` embeds them as passages, for answers that a model made up."""
    embedder = _loaded(model.name, model.threads)
    embed = embedder.model.get_text_embedding if passages else embedder.query
    return {name: np.asarray(embed(text), dtype=np.float32) for name, text in texts.items()}


def question_tokens(texts: Mapping[str, str], threads: int) -> dict[str, QuestionVectors]:
    """Token vectors of questions by the fitted encoder."""
    from pipelines.models.fitted import encoder

    loaded = encoder(FITTED_FOLDER, threads)
    return {name: loaded.question(text) for name, text in texts.items()}


def _key(model: Model, text: str) -> str:
    return f"{model.fingerprint}-{hashlib.sha256(text.encode()).hexdigest()}"


def _settings(name: str, threads: int) -> Settings:
    return Settings(_env_file=None, embed_model=name, threads=threads)  # type: ignore[call-arg]


@lru_cache(maxsize=2)
def _loaded(name: str, threads: int) -> Embedder:
    return load_embedder(_settings(name, threads))


@lru_cache(maxsize=2)
def _spans(name: str) -> Spans:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder(name, "TECHREG_EMBED_MODEL") / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    @lru_cache(maxsize=100_000)
    def spans(text: str) -> list[tuple[int, int]]:
        offsets: list[tuple[int, int]] = tokenizer.encode(text, add_special_tokens=False).offsets
        return offsets

    return spans
