"""One question in, one reply out: search, answer, check, and say plainly when something broke."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.answer.ports import Corpus
from pipelines.schema import Filters, Reply
from pipelines.settings import Settings


class Answerer:
    """Answers questions over a corpus. One instance serves every conversation: it keeps no state between questions."""

    def __init__(self, settings: Settings, corpus: Corpus) -> None:
        self.settings = settings
        self.corpus = corpus

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """Answer one question; ``history`` holds the earlier questions of the conversation, oldest first.

        Never raises for an expected failure: an error becomes a :class:`~pipelines.schema.Failure`.
        """
        *_, reply = self.stream(question, filters, history)
        assert not isinstance(reply, str)
        return reply

    def stream(
        self, question: str, filters: Filters | None = None, history: Sequence[str] = ()
    ) -> Iterator[str | Reply]:
        """Yield pieces of the answer's text as they are written, then the whole reply as the last item.

        The reply is the one that :meth:`ask` gives. Closing the iterator stops the model call.
        """
        raise NotImplementedError
