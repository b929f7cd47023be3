"""The embedding model, chosen by ``TECHREG_EMBED_MODEL``: one factory, one small interface."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipelines.errors import ModelNotFound
from pipelines.late_interaction import FITTED, FITTED_FOLDER
from pipelines.models.files import PACKAGED, PACKAGED_NAME, fingerprint, model_folder
from pipelines.models.instructions import Instructions, instructions
from pipelines.settings import Settings

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

CACHED_QUERIES = 1024
SHORTEST_KNOWN = 4
_ENDINGS = frozenset({"s", "es", "ed", "er", "ers", "ing", "ly", "y", "able", "ness", "ment", "ments", "al", "ion"})
DENSE_WEIGHT = 2.0
FITTED_DENSE_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What the index records of its embedding model. Equal identities give equal vectors."""

    name: str
    fingerprint: str
    query_instruction: str = ""
    text_instruction: str = ""


@dataclass(slots=True)
class Embedder:
    """An embedding model, loaded. ``model`` embeds nodes as a LlamaIndex transformation; questions are cached.

    ``count`` gives the tokens that the model sees of a passage, its instruction and special tokens included; it never
    sees more than ``window``. ``dense_weight`` is the weight of its ranks beside those of the words (1).
    ``pieces`` gives the subwords that the model knows a word by.
    """

    identity: ModelIdentity
    model: BaseEmbedding
    dimension: int
    window: int
    count: Callable[[str], int]
    pieces: Callable[[str], Sequence[str]] = lambda word: [word]
    dense_weight: float = DENSE_WEIGHT
    _cache: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def knows(self, word: str) -> bool:
        """Whether a word, in lower case, is in the model's vocabulary: whole, or as a word with a common ending."""
        first, *rest = (re.sub(r"^(?:##|▁|Ġ)", "", piece) for piece in self.pieces(word))
        return not rest or (len(first) >= SHORTEST_KNOWN and len(rest) == 1 and rest[0] in _ENDINGS)

    def query(self, question: str) -> list[float]:
        """The vector of a question, of length ``dimension``."""
        with self._lock:
            if question in self._cache:
                self._cache.move_to_end(question)
                return self._cache[question]
        vector = self.model.get_query_embedding(question)
        with self._lock:
            self._cache[question] = vector
            if len(self._cache) > CACHED_QUERIES:
                self._cache.popitem(last=False)
        return vector


def embedder_identity(settings: Settings) -> ModelIdentity:
    """The identity of the model that the settings name, without loading it or importing torch.

    Raises:
        ModelNotFound: the setting names no model on this machine or the hub.
    """
    folder = model_folder(settings.embed_model, "TECHREG_EMBED_MODEL")
    if settings.embed_model == FITTED:
        return ModelIdentity(folder.name, fingerprint(folder))
    wanted = _instructions(settings)
    name = PACKAGED_NAME if settings.embed_model == PACKAGED else settings.embed_model
    return ModelIdentity(name, fingerprint(folder), wanted.query, wanted.text)


def load_embedder(settings: Settings) -> Embedder:
    """Load the embedding model that the settings name.

    Raises:
        ModelNotFound: it is not on this machine, or its files cannot be loaded; code in the files is never run.
    """
    identity = embedder_identity(settings)
    if settings.embed_model == FITTED:
        return _fitted(settings, identity)
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    folder = model_folder(settings.embed_model, "TECHREG_EMBED_MODEL")
    set_threads(settings)
    try:
        model = HuggingFaceEmbedding(
            model_name=str(folder),
            query_instruction=identity.query_instruction,
            text_instruction=identity.text_instruction,
            embed_batch_size=settings.embed_batch,
            trust_remote_code=False,
            device="cpu",
        )
        tokens = _counter(str(folder))
        dimension = len(model.get_query_embedding("dimension"))
    except Exception as error:  # transformers and safetensors raise a dozen kinds for files they cannot load
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise ModelNotFound(f"the embedding model {settings.embed_model} cannot be loaded: {reason}") from error
    window = min(model.max_length, tokens.limit)
    return Embedder(
        identity=identity,
        model=model,
        dimension=dimension,
        window=window,
        count=lambda text: tokens.count(identity.text_instruction + text),
        pieces=tokens.pieces,
    )


def _fitted(settings: Settings, identity: ModelIdentity) -> Embedder:
    from pipelines.models.fitted import FittedEmbedding, encoder

    loaded = encoder(FITTED_FOLDER, settings.threads)
    return Embedder(
        identity=identity,
        model=FittedEmbedding(loaded),
        dimension=loaded.dimension,
        window=loaded.window,
        count=loaded.count,
        pieces=loaded.pieces,
        dense_weight=FITTED_DENSE_WEIGHT,
    )


def set_threads(settings: Settings) -> None:
    """Give torch as many threads as the setting says; 0 leaves it the machine's cores."""
    if settings.threads:
        import torch

        torch.set_num_threads(settings.threads)


@dataclass(frozen=True, slots=True)
class _Tokens:
    count: Callable[[str], int]
    pieces: Callable[[str], Sequence[str]]
    limit: int


def _counter(folder: str) -> _Tokens:
    """The model's own tokenizer: a text's tokens, special ones included, and the most its positions allow."""
    from transformers import AutoConfig, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    positions = getattr(config, "max_position_embeddings", None) or 512

    def count(text: str) -> int:
        return len(tokenizer(text, truncation=False, verbose=False)["input_ids"])

    return _Tokens(count, tokenizer.tokenize, positions)


def _instructions(settings: Settings) -> Instructions:
    folder = model_folder(settings.embed_model, "TECHREG_EMBED_MODEL")
    return instructions(settings.embed_model, folder, settings.embed_query_instruction, settings.embed_text_instruction)
