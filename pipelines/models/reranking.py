"""The reranker, chosen by ``TECHREG_RERANKER``: a LlamaIndex node postprocessor, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.errors import ModelNotFound
from pipelines.late_interaction import FITTED, FITTED_FOLDER
from pipelines.models.embedding import set_threads
from pipelines.models.files import model_folder
from pipelines.settings import Settings

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

NONE = "none"
MOST_NODES = 500
"""Late interaction scores every node it is given: a clause may have several."""


def load_reranker(settings: Settings) -> BaseNodePostprocessor | None:
    """Load the reranker that the settings name; None for ``none``.

    A folder or a hub name gives LlamaIndex's own cross-encoder postprocessor; code in its files is never run.

    Raises:
        ModelNotFound: it is not on this machine, or its files cannot be loaded.
    """
    if settings.reranker == NONE:
        return None
    if settings.reranker == FITTED:
        from pipelines.models.fitted import encoder
        from pipelines.rerank import LateInteractionRerank

        return LateInteractionRerank(encoder(FITTED_FOLDER, settings.threads), top_n=MOST_NODES)
    from llama_index.core.postprocessor import SentenceTransformerRerank

    folder = model_folder(settings.reranker, "TECHREG_RERANKER")
    set_threads(settings)
    try:
        return SentenceTransformerRerank(
            model=str(folder), top_n=settings.candidates, device="cpu", trust_remote_code=False
        )
    except Exception as error:  # transformers and safetensors raise a dozen kinds for files they cannot load
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise ModelNotFound(f"the reranker {settings.reranker} cannot be loaded: {reason}") from error
