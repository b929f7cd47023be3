"""A model small enough to fit in a test: two layers of 32 values over a vocabulary of the test's own words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from scripts.training.model import LateInteractionModel

TOPICS = "wing tyre fuel brake seat mirror engine gearbox pedal helmet radio flag".split()
WORDS = [*TOPICS, *"the of must be is what how a rule for limit maximum weight colour size".split()]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Products this small gain nothing from a second thread, and lose much where cores are shared."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: index for index, word in enumerate([*special, *WORDS])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    )
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@pytest.fixture
def model() -> LateInteractionModel:
    import torch
    from transformers import BertConfig, BertModel

    from scripts.training.model import LateInteractionModel

    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=4 + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.0,
        initializer_range=0.3,
    )
    return LateInteractionModel(BertModel(config, add_pooling_layer=False), 32, 16)
