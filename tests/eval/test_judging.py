from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from eval.judging import Judge, ReplyCache
from eval.rubric import Mark
from pipelines.errors import ModelReplyError
from pipelines.llm import CircuitBreaker, Message
from pipelines.tokens import TokenCounter


class Model:
    """Replies by list; a token is a word."""

    name = "fake"

    def __init__(self, *replies: str) -> None:
        self.counter = TokenCounter("words", lambda text: len(text.split()))
        self.breaker = CircuitBreaker(3, 60)
        self._replies = list(replies)

    def complete(self, messages: Sequence[Message], max_tokens: int) -> str:
        return self._replies.pop(0)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Sequence[str]:
        raise NotImplementedError


ASKED: list[Message] = [{"role": "user", "content": "mark this answer"}]


def test_a_reply_that_cannot_be_read_is_a_failed_call_and_is_asked_for_again(tmp_path: Path) -> None:
    model = Model("I would rather not", '{"mark": 4}')
    with closing(Judge(model, ReplyCache(tmp_path / "replies.sqlite"), 100)) as judge:  # type: ignore[arg-type]
        with pytest.raises(ModelReplyError, match="no Mark"):
            judge.structured(ASKED, Mark)
        assert judge.structured(ASKED, Mark).mark == 4
        assert judge.structured(ASKED, Mark).mark == 4  # from the cache: the model has no third reply
        # Two calls of three words each were made, one of them failed; the replies are four words and two.
        usage = judge.usage
        assert (usage.calls, usage.failed, usage.cached) == (2, 1, 1)
        assert (usage.tokens_in, usage.tokens_out) == (6, 6)
