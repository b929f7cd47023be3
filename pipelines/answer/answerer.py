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
from pathlib import Path

from pipelines import tracing
from pipelines.answer import compose
from pipelines.answer.cite import Citer
from pipelines.answer.context import read_with
from pipelines.answer.generate import NotFoundByModel, Writer, wants_everything
from pipelines.answer.ports import Corpus, Gate, PieceScorer
from pipelines.answer.refuse import refusal
from pipelines.answer.relevance import load_relevance
from pipelines.answer.verify import Verifier
from pipelines.answer.words import WordStatistics
from pipelines.change import change_asked, later_year, merge_later
from pipelines.conversation import Resolved, resolve
from pipelines.errors import ModelError, TechRegError
from pipelines.llm import LanguageModel, language_model
from pipelines.questionlog import QuestionLog
from pipelines.schema import Answer, Failure, Filters, Passage, Reply, SearchResult, Status, Understood
from pipelines.settings import Settings


class Answerer:
    """Answers questions over a corpus. One instance serves every conversation: it keeps no state between questions.

    Args:
        settings: the mode, the model, the gate's threshold and the budgets.
        corpus: where clauses are searched.
        gate: the probability that a search answers; the default is that of :func:`pipelines.gate.load_gate`.
        scorer: how relevant the pieces of a clause are; the default is the fitted model's token vectors, if any.
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
        scorer: PieceScorer | None = None,
        model: LanguageModel | None = None,
    ) -> None:
        self.settings = settings
        self._corpus = corpus
        self._gate = gate
        self._scorer = scorer
        self._model = model or language_model(settings)
        self._citer = Citer(Verifier())
        self._mark = settings.unverified == "mark"
        self._traced = settings.tracing != tracing.OFF
        tracing.start(settings.tracing)
        self._log = QuestionLog(Path(settings.question_log)) if settings.question_log else None

    @cached_property
    def _statistics(self) -> WordStatistics:
        """Word frequencies over the clauses in force."""
        return WordStatistics(" ".join((c.text, c.title, c.term, *c.path)) for c in self._corpus.clauses(""))

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """Answer one question; ``history`` holds the earlier questions of the conversation, oldest first.

        An expected failure is returned as a :class:`~pipelines.schema.Failure`, never raised.
        """
        parts = self._respond(question, filters or Filters(), history, stream=False)
        with tracing.span("ask", enabled=self._traced):
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
        asked = self._standalone(question, history)
        notes = ("Earlier questions were left out: the conversation is too long.",) if asked.trimmed else ()
        try:
            reply = self._changes(asked, filters)
            if reply is None:
                result = self._search(question, asked, filters, history)
                reply = yield from self._replied(result, stream=stream)
            else:
                yield from _lines(reply)
        except TechRegError as error:
            reply = failure(question, error)
        ms = {**reply.ms, "search": reply.ms.get("total", 0.0), "total": _ms_since(started)}
        reply = replace(reply, question=question, ms=ms, warnings=(*notes, *reply.warnings))
        if self._log is not None:
            self._log.reply(reply, tuple(history))
        return reply

    def _replied(self, result: SearchResult, *, stream: bool) -> Generator[str, None, Reply]:
        """An answer from what was found, or a refusal; ``ms`` of the reply is that of the search."""
        confidence = self._confidence(result)
        if confidence < self.settings.gate or not result.passages:
            return refusal(result, confidence)
        if self._model is not None:
            reply = yield from self._written(self._model, result, confidence, stream=stream)
            return replace(reply, ms=result.ms)
        reply = self._extractive(result, confidence)
        yield from _lines(reply)
        return replace(reply, ms=result.ms)

    def _changes(self, asked: Resolved, filters: Filters) -> Reply | None:
        """The reply to a question about what this issue changed; None for any other question."""
        wanted = change_asked(asked.question)
        if wanted is None:
            return None
        if wanted.articles or wanted.section:
            within = replace(filters, section=wanted.section or filters.section)
            found = [c for article in wanted.articles or ("",) for c in self._corpus.clauses(article, within)]
            result = SearchResult(
                question=asked.question,
                understood=Understood(asked.question, wanted.articles, wanted.section, follow_up=asked.follow_up),
                passages=tuple(Passage(clause, 1.0 / rank) for rank, clause in enumerate(found, 1)),
                ms={},
            )
        else:
            result = self._corpus.search(asked.question, filters=filters)
            if (confidence := self._confidence(result)) < self.settings.gate:
                return refusal(result, confidence)
        draft = compose.changes(result, self._citer)
        if not draft.text:
            return refusal(result, 0.0)
        return self._answer(result, 1.0, draft)

    def _confidence(self, result: SearchResult) -> float:
        return (self._gate or self._default_gate)(result)

    @cached_property
    def _relevance(self) -> PieceScorer | None:
        return self._scorer or load_relevance(self.settings, self._corpus)

    @cached_property
    def _default_gate(self) -> Gate:
        from pipelines.gate import load_gate

        return load_gate(self.settings, self._statistics)

    def _standalone(self, question: str, history: Sequence[str]) -> Resolved:
        """The question as it stands alone: by the topic's words, or reworded by the model where the settings say so."""
        asked = resolve(question, history)
        if not asked.follow_up or self._model is None or not self.settings.llm_rewrite or self._model.breaker.open:
            return asked
        writer = Writer(self._model, self.settings.context_tokens, self.settings.answer_tokens)
        try:
            return replace(asked, question=writer.rewrite(question, history), reworded=True)
        except ModelError:
            return asked

    def _search(self, question: str, asked: Resolved, filters: Filters, history: Sequence[str]) -> SearchResult:
        """What is found in the law in force, and in a later year's text where the question names a year."""
        everything = self._model is not None and wants_everything(asked.question)
        k = self.settings.candidates if everything else None
        if asked.reworded:
            question, history = asked.question, ()
        with tracing.span("search", enabled=self._traced):
            result = self._corpus.search(question, k=k, filters=filters, history=history)
        year = _later(result)
        if not year or filters.status != Status.IN_FORCE:
            return result
        future = replace(filters, status=Status.FUTURE.value)
        later = self._corpus.search(question, k=k, filters=future, history=history)
        return replace(result, passages=merge_later(result.passages, later.passages, year))

    def _extractive(self, result: SearchResult, confidence: float) -> Answer | Failure:
        with tracing.span("extract", enabled=self._traced):
            draft = compose.extractive(result, self._statistics, self._citer, self._relevance, mark=self._mark)
        return self._answer(result, confidence, draft) if draft.text else unverifiable(result)

    def _written(
        self, model: LanguageModel, result: SearchResult, confidence: float, *, stream: bool
    ) -> Generator[str, None, Reply]:
        """The language model's answer, or what stands in for it."""
        if model.breaker.open:
            return (yield from self._fallback(result, confidence, "the language model failed too often and rests now"))
        extra = read_with(result.passages)
        given = (*result.passages, *extra)
        written = compose.Written(given, self._statistics, self._citer, mark=self._mark)
        writer = Writer(model, self.settings.context_tokens, self.settings.answer_tokens)
        year = _later(result)
        try:
            for statement in writer.write(
                result.understood.question, result.passages, extra=extra, year=year, stream=stream
            ):
                if piece := written.add(statement):
                    yield piece
        except NotFoundByModel:
            return refusal(result, confidence, model=model.name)
        except ModelError as error:
            if model.breaker.open and not written.draft.text:
                return (yield from self._fallback(result, confidence, error.message))
            return replace(failure(result.question, error, result), model=model.name)
        draft = written.draft
        if not draft.text:
            reply = yield from self._fallback(result, confidence, "no statement of the model's passed its checks")
            return replace(reply, warnings=(*reply.warnings, *draft.warnings))
        return self._answer(result, confidence, draft, model=model.name)

    @staticmethod
    def _answer(result: SearchResult, confidence: float, draft: compose.Draft, model: str = "extractive") -> Answer:
        return Answer(
            question=result.question,
            text=draft.text,
            citations=draft.citations,
            passages=result.passages,
            understood=result.understood,
            confidence=confidence,
            model=model,
            warnings=draft.warnings,
            ms=result.ms,
        )

    def _fallback(self, result: SearchResult, confidence: float, why: str) -> Generator[str, None, Answer | Failure]:
        """The extractive answer in place of the model's, and why."""
        reply = self._extractive(result, confidence)
        yield from _lines(reply)
        if isinstance(reply, Failure):
            return reply
        warning = f"This is the extractive answer: {why}."
        return replace(reply, fallback=True, warnings=(warning, *reply.warnings))


def _later(result: SearchResult) -> str:
    """The later year that the question names, "" where it names none."""
    season = next((passage.clause.document.season for passage in result.passages), "")
    return later_year(result.understood.question, season)


def failure(question: str, error: TechRegError, result: SearchResult | None = None) -> Failure:
    """An expected error as a reply, with the passages that were found before it."""
    return Failure(
        question=question,
        error_type=type(error).__name__,
        message=error.message,
        fix=error.fix,
        passages=result.passages if result else (),
        understood=result.understood if result else None,
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
