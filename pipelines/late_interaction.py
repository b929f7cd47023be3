"""The fitted encoder at work: one ONNX model gives a text's dense vector and its token vectors, without torch.

Late interaction: a question's score against a passage is the weighted mean, over the question's tokens, of each token's
best cosine with a passage token. Passages are encoded once, when they are indexed, and kept as int8.
"""

from __future__ import annotations

import json
import os
import struct
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.errors import ModelNotFound
from pipelines.products import product

CACHED_QUESTIONS = 256
FITTED = "fitted"
FITTED_FOLDER = Path(__file__).parent / "data" / "models" / "techreg-minilm"
TOKEN_VECTORS = "token_vectors"
"""The key of a node's token vectors in its metadata, and of a point's in its payload."""

_HEADER = struct.Struct("<HHf")

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """A question of t tokens: ``dense`` (h,) and ``tokens`` (t, d) unit vectors, ``weights`` (t,) that sum to 1."""

    dense: Floats
    tokens: Floats
    weights: Floats


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A passage's t token vectors as int8, shape (t, d); times ``scale`` they are unit vectors."""

    values: NDArray[np.int8]
    scale: float

    @classmethod
    def of(cls, vectors: Floats) -> TokenVectors:
        """Quantize float vectors (t, d) with one scale for the passage."""
        scale = float(np.abs(vectors).max(initial=1e-6)) / 127.0
        return cls(np.rint(vectors / scale).astype(np.int8), scale)

    def to_bytes(self) -> bytes:
        """A form to store; :meth:`from_bytes` reads it."""
        return _HEADER.pack(*self.values.shape, self.scale) + self.values.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> TokenVectors:
        """Read the form of :meth:`to_bytes`, without copying.

        Raises:
            ValueError: the bytes are no token vectors.
        """
        if len(data) < _HEADER.size:
            raise ValueError("the bytes are no token vectors")
        count, dimension, scale = _HEADER.unpack_from(data)
        if len(data) != _HEADER.size + count * dimension:
            raise ValueError("the bytes are no token vectors")
        values = np.frombuffer(data, dtype=np.int8, offset=_HEADER.size).reshape(count, dimension)
        return cls(values, scale)


def best_matches(question: QuestionVectors, passages: Sequence[TokenVectors]) -> Floats:
    """The best cosine of each question token in each passage, shape (passages, question tokens)."""
    if not passages:
        return np.zeros((0, len(question.weights)), dtype=np.float32)
    together = np.concatenate([passage.values for passage in passages]).astype(np.float32)
    similarity = product(together, question.tokens.T)
    starts = np.cumsum([0, *(len(passage.values) for passage in passages[:-1])])
    scales = np.array([passage.scale for passage in passages], dtype=np.float32)
    return np.asarray(np.maximum.reduceat(similarity, starts, axis=0) * scales[:, None], dtype=np.float32)


def max_sim(question: QuestionVectors, passages: Sequence[TokenVectors]) -> Floats:
    """Late-interaction scores of the passages, shape (passages,), in [-1, 1]."""
    return np.asarray(product(best_matches(question, passages), question.weights), dtype=np.float32)


class LateInteractionEncoder:
    """The encoder in ``folder``: ``model.onnx``, ``tokenizer.json`` and ``config.json``.

    ``dimension`` is the length of the dense vector, ``token_dimension`` that of a token vector, ``window`` the most
    tokens of a passage that are seen and ``question_window`` the most of a question; both count the special tokens.
    """

    def __init__(self, folder: Path = FITTED_FOLDER, threads: int = 0) -> None:
        """Load the model; ``threads`` 0 takes the machine's cores.

        Raises:
            ModelNotFound: the folder holds no such model, or it cannot be loaded.
        """
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self.dimension = int(config["dimension"])
            self.token_dimension = int(config["token_dimension"])
            self.window = int(config["window"])
            self.question_window = int(config["question_window"])
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
            options.inter_op_num_threads = 1
            options.log_severity_level = 3
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime and tokenizers raise bare kinds for files they cannot load
            reason = str(error).strip().split("\n")[0] or type(error).__name__
            raise ModelNotFound(f"the fitted model in {folder} cannot be loaded: {reason}") from error
        self._asked: OrderedDict[str, QuestionVectors] = OrderedDict()
        self._lock = threading.Lock()
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def count(self, text: str) -> int:
        """A text's tokens, the two special ones included."""
        return len(self._tokenizer.encode(text).ids)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Where each token of a passage stands in its text, in the order of its vectors; (0, 0) for special ones."""
        return list(self._tokenizer.encode(text).offsets)

    def pieces(self, word: str) -> list[str]:
        """The subwords that the model knows a word by."""
        pieces: list[str] = self._tokenizer.encode(word, add_special_tokens=False).tokens
        return pieces

    def question(self, text: str) -> QuestionVectors:
        """The vectors of one question, kept for the next call; beyond ``question_window`` tokens it is left out."""
        with self._lock:
            if text in self._asked:
                self._asked.move_to_end(text)
                return self._asked[text]
        dense, tokens, weights = self._run([self._ids(text, self.question_window)])
        vectors = QuestionVectors(dense[0], tokens[0], weights[0])
        with self._lock:
            self._asked[text] = vectors
            if len(self._asked) > CACHED_QUESTIONS:
                self._asked.popitem(last=False)
        return vectors

    def passages(self, texts: Sequence[str], batch: int = 32) -> tuple[Floats, list[TokenVectors]]:
        """Dense vectors (n, dimension) and token vectors of passages; what is beyond ``window`` is left out."""
        rows = [self._ids(text, self.window) for text in texts]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        dense = np.zeros((len(rows), self.dimension), dtype=np.float32)
        tokens: dict[int, TokenVectors] = {}
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            pooled, states, _ = self._run([rows[i] for i in chosen])
            dense[chosen] = pooled
            for place, i in enumerate(chosen):
                tokens[i] = TokenVectors.of(states[place, : len(rows[i])])
        return dense, [tokens[i] for i in range(len(rows))]

    def _ids(self, text: str, limit: int) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]

    def _run(self, rows: Sequence[Sequence[int]]) -> tuple[Floats, Floats, Floats]:
        longest = max(len(row) for row in rows)
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        mask = np.zeros((len(rows), longest), dtype=np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        dense, tokens, weights = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        return dense, tokens, weights
