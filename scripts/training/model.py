"""The encoder: one MiniLM body with a pooled vector for search and weighted token vectors for late interaction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Encoded:
    """A batch of n texts of t tokens.

    ``dense`` (n, hidden) unit vectors; ``tokens`` (n, t, d) unit vectors, zero where padded; ``weights`` (n, t), the
    share of each token in a question's score, summing to 1.
    """

    dense: Tensor
    tokens: Tensor
    weights: Tensor


class LateInteractionModel(nn.Module):
    """BERT with mean pooling, a projection of its token states, and a learned weight of each token."""

    def __init__(self, body: nn.Module, hidden: int, dimension: int) -> None:
        super().__init__()
        self.body = body
        self.project = nn.Linear(hidden, dimension)
        self.weigh = nn.Linear(hidden, 1)
        nn.init.zeros_(self.weigh.weight)
        nn.init.zeros_(self.weigh.bias)
        self.log_scale = nn.Parameter(torch.log(torch.tensor([20.0, 30.0])))  # of dense and token scores in the loss

    @classmethod
    def from_base(cls, folder: Path, dimension: int) -> LateInteractionModel:
        """Start from a sentence-transformers folder; attention dropout is off, it halves the speed on a CPU."""
        from transformers import AutoConfig, AutoModel

        config = AutoConfig.from_pretrained(str(folder))
        config.attention_probs_dropout_prob = 0.0
        body = AutoModel.from_pretrained(str(folder), config=config, add_pooling_layer=False)
        return cls(body, config.hidden_size, dimension)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """``(dense, tokens, weights)`` of :class:`Encoded`; both inputs are (n, t) integers."""
        output: Any = self.body(input_ids=input_ids, attention_mask=attention_mask)
        states = cast(Tensor, output.last_hidden_state).float()
        mask = attention_mask.unsqueeze(-1).to(states.dtype)
        pooled = (states * mask).sum(1) / mask.sum(1)
        tokens = functional.normalize(self.project(states), dim=-1) * mask
        weights = torch.sigmoid(self.weigh(states)).squeeze(-1) * mask.squeeze(-1)
        return functional.normalize(pooled, dim=-1), tokens, weights / weights.sum(1, keepdim=True)

    def start_projection(self, states: Tensor) -> None:
        """Start the projection at the principal components of ``states`` (n, hidden), so that little is lost."""
        mean = states.mean(0)
        _, _, components = torch.linalg.svd(states - mean, full_matrices=False)
        chosen = components[: self.project.out_features]
        with torch.no_grad():
            self.project.weight.copy_(chosen)
            self.project.bias.copy_(-chosen @ mean)


def max_sim(questions: Encoded, passages: Encoded) -> Tensor:
    """Late-interaction scores (n questions, m passages) in [-1, 1]: the weighted mean of each token's best match.

    Only the best matches are multiplied with gradients: the full table of similarities need not be kept.
    """
    n, t, d = questions.tokens.shape
    m, u, _ = passages.tokens.shape
    asked = questions.tokens.reshape(n * t, d)
    held = passages.tokens.reshape(m * u, d)
    with torch.no_grad():
        padding = (passages.tokens.abs().sum(-1) == 0)[None]
        best = (asked @ held.T).view(n * t, m, u).masked_fill_(padding, -1.0).argmax(-1)
    matched = held[best + torch.arange(m) * u]
    similarity = torch.einsum("ad,amd->am", asked, matched).view(n, t, m)
    return torch.einsum("ntm,nt->nm", similarity, questions.weights)
