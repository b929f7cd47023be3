"""One question in, one reply out: search, gate, answer, check, and say plainly when something broke.

What a reply is when a language model is set:

- The model's own "not found" is a :class:`~pipelines.schema.Refusal`.
- An error, a time-out, an empty, cut or unreadable reply is a :class:`~pipelines.schema.Failure` with the passages.
- Once the circuit breaker is open (so many failed tries in a row, the retries of one question included) the extractive
  answer stands in, with ``fallback`` true and a warning that says why.
- A reply of which no statement passes the checks is replaced by the extractive answer in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from pipelines.answer import compose
from pipelines.answer.cite import Citer
from pipelines.answer.generate import NotFoundByModel, Writer, wants_everything
from pipelines.answer.ports import Corpus, Gate, SentenceScorer
from pipelines.answer.refuse import CoverageGate, refusal
from pipelines.answer.verify import Verifier
from pipelines.answer.words import WordStatistics
from pipelines.conversation import Resolved, resolve
from pipelines.errors import ModelError, TechRegError
from pipelines.llm import LanguageModel, language_model
from pipelines.schema import Answer, Failure, Filters, Reply, SearchResult
from pipelines.settings import Settings


class Answerer:
    """Answers questions over a corpus. One instance serves every conversation: it keeps no state between questions.

    Args:
        settings: the mode, the model, the gate's threshold and the budgets.
        corpus: where clauses are searched.
        gate: the probability that a search answers; the default is :class:`CoverageGate`.
        scorer: how relevant a sentence is, where a model can tell.
        model: takes the place of the one that the settings name.

    Raises:
        SettingsError: a language model is wanted but its address or name is missing.
        ModelNotFound: the GGUF file or llama.cpp is missing.
    """

    def __init__(
        self,
        settings: Settings,
        corpus: Corpus,
        *,
        gate: Gate | None = None,
        scorer: SentenceScorer | None = None,
        model: LanguageModel | None = None,
    ) -> None:
        self.settings = settings
        self._corpus = corpus
        self._gate = gate
        self._scorer = scorer
        self._model = model or language_model(settings)
        self._citer = Citer(Verifier())
        self._mark = settings.unverified == "mark"

    @cached_property
    def _statistics(self) -> WordStatistics:
        """Word frequencies over the clauses in force."""
        return WordStatistics(" ".join((c.text, c.title, c.term, *c.path)) for c in self._corpus.clauses(""))

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """Answer one question; ``history`` holds the earlier questions of the conversation, oldest first.

        An expected failure is returned as a :class:`~pipelines.schema.Failure`, never raised.
        """
        parts = self._respond(question, filters or Filters(), history, stream=False)
        while True:
            try:
                next(parts)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]

    def stream(
        self, question: str, filters: Filters | None = None, history: Sequence[str] = ()
    ) -> Iterator[str | Reply]:
        """Yield checked pieces of the answer's text as they are written, then the whole reply as the last item.

        The reply's text is what counts: after pieces it may still be a failure. Closing the iterator ends the model
        call.
        """
        yield (yield from self._respond(question, filters or Filters(), history, stream=True))

    def _respond(
        self, question: str, filters: Filters, history: Sequence[str], *, stream: bool
    ) -> Generator[str, None, Reply]:
        """The text in pieces; the reply as the return value."""
        started = time.perf_counter()
        try:
            asked = self._standalone(question, history)
            result = self._search(asked, filters)
        except TechRegError as error:
            return failure(question, error, ms={"total": _ms_since(started)})
        confidence = (self._gate or self._default_gate)(result)
        notes = ("Earlier questions were left out: the conversation is too long.",) if asked.trimmed else ()
        if confidence < self.settings.gate or not result.passages:
            reply: Reply = refusal(result, confidence, {})
        elif self._model is None:
            reply = self._extractive(result, confidence)
            yield from _lines(reply)
        else:
            reply = yield from self._written(self._model, result, confidence, stream=stream)
        ms = {**result.ms, "search": result.ms.get("total", 0.0), "total": _ms_since(started)}
        return replace(reply, question=question, ms=ms, warnings=(*notes, *reply.warnings))

    @cached_property
    def _default_gate(self) -> Gate:
        return CoverageGate(self._statistics)

    def _standalone(self, question: str, history: Sequence[str]) -> Resolved:
        """The question as it stands alone: by the topic's words, or reworded by the model where the settings say so."""
        asked = resolve(question, history)
        if not asked.follow_up or self._model is None or not self.settings.llm_rewrite or self._model.breaker.open:
            return asked
        writer = Writer(self._model, self.settings.context_tokens, self.settings.answer_tokens)
        try:
            return replace(asked, question=writer.rewrite(question, history))
        except ModelError:
            return asked

    def _search(self, asked: Resolved, filters: Filters) -> SearchResult:
        everything = self._model is not None and wants_everything(asked.question)
        k = self.settings.candidates if everything else None
        return self._corpus.search(asked.question, k=k, filters=filters)

    def _extractive(self, result: SearchResult, confidence: float) -> Answer | Failure:
        draft = compose.extractive(result, self._statistics, self._citer, self._scorer, mark=self._mark)
        if not draft.text:
            return unverifiable(result)
        return Answer(
            question=result.question,
            text=draft.text,
            citations=draft.citations,
            passages=result.passages,
            understood=result.understood,
            confidence=confidence,
            warnings=draft.warnings,
        )

    def _written(
        self, model: LanguageModel, result: SearchResult, confidence: float, *, stream: bool
    ) -> Generator[str, None, Reply]:
        """The language model's answer, or what stands in for it."""
        if model.breaker.open:
            return self._fallback(result, confidence, "the language model failed too often and is left alone for now")
        written = compose.Written(result.passages, self._statistics, self._citer, mark=self._mark)
        writer = Writer(model, self.settings.context_tokens, self.settings.answer_tokens)
        year = result.understood.year
        try:
            for statement in writer.write(result.understood.question, result.passages, year=year, stream=stream):
                if piece := written.add(statement):
                    yield piece
        except NotFoundByModel:
            return refusal(result, confidence, {}, model=model.name)
        except ModelError as error:
            if model.breaker.open and not written.draft.text:
                return self._fallback(result, confidence, error.message)
            return replace(failure(result.question, error, result), model=model.name)
        draft = written.draft
        if not written.holding:
            reply = self._fallback(result, confidence, "no statement of the language model passed its checks")
            return replace(reply, warnings=(*reply.warnings, *draft.warnings))
        return Answer(
            question=result.question,
            text=draft.text,
            citations=draft.citations,
            passages=result.passages,
            understood=result.understood,
            confidence=confidence,
            model=model.name,
            warnings=draft.warnings,
        )

    def _fallback(self, result: SearchResult, confidence: float, why: str) -> Answer | Failure:
        """The extractive answer in place of the model's, and why."""
        reply = self._extractive(result, confidence)
        if isinstance(reply, Failure):
            return reply
        warning = f"This is the extractive answer: {why}."
        return replace(reply, fallback=True, warnings=(warning, *reply.warnings))


def failure(
    question: str, error: TechRegError, result: SearchResult | None = None, ms: dict[str, float] | None = None
) -> Failure:
    """An expected error as a reply, with the passages that were found before it."""
    return Failure(
        question=question,
        error_type=type(error).__name__,
        message=error.message,
        fix=error.fix,
        passages=result.passages if result else (),
        understood=result.understood if result else None,
        ms=ms or {},
    )


def unverifiable(result: SearchResult) -> Failure:
    """No quote could be found again: the documents are not where they were read, or are no longer the same."""
    files = ", ".join(dict.fromkeys(passage.clause.document.file for passage in result.passages[:3]))
    return Failure(
        question=result.question,
        error_type="QuotesUnverified",
        message=f"no wording of the answer could be found again in {files}",
        fix="Put the documents back where they were read from, or run: techreg ingest",
        passages=result.passages,
        understood=result.understood,
    )


def _lines(reply: Reply) -> Iterator[str]:
    """The text of an answer line by line; nothing of any other reply."""
    if isinstance(reply, Answer):
        yield from reply.text.splitlines(keepends=True)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000.0
