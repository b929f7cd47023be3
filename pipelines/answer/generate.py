"""The answer in a language model's words: passages into a prompt, the reply into checked statements."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from pipelines.answer.context import MARGIN_TOKENS, Numbered, batches, both_ends, fitting, tokens_of
from pipelines.answer.grounding import MARKER, Items, Statement, check, statements
from pipelines.answer.prompts import (
    NOT_FOUND,
    answer_messages,
    map_messages,
    passage_text,
    reduce_messages,
    rewrite_messages,
)
from pipelines.errors import ModelReplyError
from pipelines.llm import LanguageModel, Message
from pipelines.schema import Passage

_LIST_ALL = re.compile(
    r"\b(?:list|name|enumerate|give|show|tell)\b.{0,40}\b(?:all|every|each)\b|"
    r"\b(?:all|every one) (?:of )?the\b|^list\b",
    re.IGNORECASE,
)
_SAYS_NOT_FOUND = re.compile(
    rf"^\W*(?:{NOT_FOUND}\b|not found\W*$|"
    r"(?:sorry, )?(?:i|we) (?:can(?:no|')t|could not|am unable to|do not) (?:find|answer)"
    r"|(?:the|these|none of the) (?:\w+ )?(?:passages?|context|documents?|regulations?)(?: \w+){0,2} (?:do|does) not "
    r"(?:contain|mention|answer|specify|say|provide|address|cover))",
    re.IGNORECASE,
)
_REWRITE_TOKENS = 80


class NotFoundByModel(Exception):
    """The model itself says that the passages do not answer: a refusal, not a failure."""


def wants_everything(question: str) -> bool:
    """Whether a question asks for a complete list, for which one context may be too small."""
    return bool(_LIST_ALL.search(question))


class Writer:
    """Writes answers with a language model. Errors of the model come through as they are."""

    def __init__(self, model: LanguageModel, context_tokens: int, answer_tokens: int) -> None:
        self.model = model
        self._context_tokens = context_tokens
        self._answer_tokens = answer_tokens

    def write(
        self,
        question: str,
        passages: Sequence[Passage],
        *,
        extra: Sequence[Passage] = (),
        year: str = "",
        stream: bool = False,
    ) -> Generator[Statement, None, None]:
        """Checked statements as they are complete. A passage is cited by its rank in ``passages``, from 1.

        ``extra`` passages follow in number, and are given where the ranked ones leave room.

        Raises:
            NotFoundByModel: before any statement, where the model says so.
            ModelError: the call failed; statements before it stand.
        """
        every = dict(enumerate((*passages, *extra), 1))
        messages, given = self._prompt(question, list(every.items()), len(passages))
        shown = {number: every[number] for number in given}
        first, items = True, Items()
        with closing(self._reply(messages, stream=stream)) as pieces:
            for separator, text in statements(pieces):
                if _gives_up(text, first=first):
                    if first:
                        raise NotFoundByModel(text)
                    continue
                line = items.bulleted(text)
                statement = check(line, shown, question=question, separator=separator, year=year)
                first = first and not statement.says_something
                yield statement

    def rewrite(self, question: str, history: Sequence[str]) -> str:
        """A follow-up as a question that stands alone."""
        reply = self.model.complete(rewrite_messages(question, history), _REWRITE_TOKENS)
        lines = [line.strip().strip('"“”') for line in reply.splitlines() if line.strip()]
        if not lines or len(lines[0]) > 4 * (len(question) + sum(map(len, history))) + 100:
            raise ModelReplyError("the language model's rewriting cannot be used")
        return lines[0]

    def _prompt(
        self, question: str, numbered: Sequence[Numbered], ranked: int
    ) -> tuple[list[Message], tuple[int, ...]]:
        """The messages to send and the numbers of the passages in them; the first ``ranked`` were found for it."""
        count = self.model.counter.count
        room = self._context_tokens - MARGIN_TOKENS - tokens_of(answer_messages(question, ()), count)
        chosen = fitting(numbered, room, count)
        if wants_everything(question) and sum(number <= ranked for number, _ in chosen) < ranked:
            return self._map(question, numbered[:ranked])
        if not chosen and numbered:
            number, passage = numbered[0]
            return answer_messages(question, [(number, self._shortened(number, passage, room))]), (number,)
        return answer_messages(question, both_ends(chosen)), tuple(number for number, _ in chosen)

    def _map(self, question: str, numbered: Sequence[Numbered]) -> tuple[list[Message], tuple[int, ...]]:
        """Notes from every group of passages that fits the budget, as one prompt that merges them."""
        count = self.model.counter.count
        room = self._context_tokens - MARGIN_TOKENS - tokens_of(map_messages(question, ()), count)
        notes: list[str] = []
        seen: list[int] = []
        for group in batches(numbered, room, count):
            reply = self.model.complete(map_messages(question, group), self._answer_tokens)
            seen += [number for number, _ in group]
            notes += [line for line in reply.splitlines() if MARKER.search(line)]
        if not notes:
            raise NotFoundByModel(NOT_FOUND)
        left = self._context_tokens - MARGIN_TOKENS - tokens_of(reduce_messages(question, ""), count)
        kept: list[str] = []
        for line in notes:
            length = count(line) + 1
            if length <= left:
                kept.append(line)
                left -= length
        return reduce_messages(question, "\n".join(kept)), tuple(seen)

    def _shortened(self, number: int, passage: Passage, room: int) -> Passage:
        """A passage too long for the budget, cut at the end of a line or sentence that still fits."""
        text = passage.clause.text
        while text and self.model.counter.count(passage_text(number, _with_text(passage, text))) > room:
            shorter = text[: int(len(text) * 0.8)]
            cut = max(shorter.rfind("\n"), shorter.rfind(". ") + 1)
            text = shorter[:cut] if cut > 0 else shorter
        return _with_text(passage, text)

    def _reply(self, messages: Sequence[Message], *, stream: bool) -> Generator[str, None, None]:
        pieces: Iterator[str]
        if not stream:
            yield self.model.complete(messages, self._answer_tokens)
            return
        pieces = self.model.stream(messages, self._answer_tokens)
        try:
            yield from pieces
        finally:
            if isinstance(pieces, Generator):
                pieces.close()


def _gives_up(text: str, *, first: bool) -> bool:
    """Whether a statement is the model's "not found": the word agreed on, or at first words like it."""
    if MARKER.sub("", text).strip(" .:*") == NOT_FOUND:
        return True
    return first and bool(_SAYS_NOT_FOUND.search(text)) and not MARKER.search(text)


def _with_text(passage: Passage, text: str) -> Passage:
    return replace(passage, clause=replace(passage.clause, text=text))
