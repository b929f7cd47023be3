"""What the sweep needs a language model or the whole product for: rewritten questions, HyDE, answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from eval.answers import has_all
from eval.gold import GoldQuestion
from eval.judging import ReplyCache
from eval.metrics import CANDIDATES, METRICS, Judged, Scores, score, tells_all
from eval.relevance import TextRelevance
from eval.sweep.conditions import Setup
from eval.sweep.searching import fitting
from pipelines.errors import SettingsError, TechRegError
from pipelines.llm import LanguageModel, Message, language_model
from pipelines.schema import Answer, Clause
from pipelines.settings import Settings
from pipelines.tokens import token_counter

_REWRITE = """Rewrite the question as a short search query in the formal words of a regulation. Keep every name, number
and condition. Reply with the query only."""
_HYDE = """Write the clause of a regulation that would answer the question, in two or three formal sentences. Reply with
the clause only."""
_REPLY_TOKENS = 200


class Asker:
    """Asks a language model, where the settings name one, and the product over an index of the corpus."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._cache: ReplyCache | None = None
        self._model: LanguageModel | None = None

    def require(self, setup: Setup) -> None:
        """Make sure that a setup can be run.

        Raises:
            SettingsError: it needs a language model and none is set.
            ModelNotFound: the language model's file is not there.
        """
        if setup.question == "asked" and setup.answer != "llm":
            return
        if self._settings.llm == "none" and not self._settings.llm_url:
            raise SettingsError("no language model is set", "Set TECHREG_LLM")
        if self._model is None:
            self._model = language_model(self._settings.model_copy(update={"answer_mode": "llm"}))
            self._cache = ReplyCache(self._folder / "replies.sqlite")

    def questions(self, setup: Setup, gold: Sequence[GoldQuestion]) -> dict[str, str]:
        """What is searched for each question, by id: as asked, rewritten, or a passage made up for it.

        Raises:
            ModelError: the language model does not reply as it should.
        """
        if setup.question == "asked":
            return {question.id: question.question for question in gold}
        system = _REWRITE if setup.question == "rewritten" else _HYDE
        return {question.id: self._reply(system, question.question) for question in gold}

    def rows(
        self,
        setup: Setup,
        corpus: Sequence[Path],
        gold: Sequence[GoldQuestion],
        relevance: TextRelevance,
        tell: Callable[[str], None],
    ) -> dict[str, Scores]:
        """The scores of the whole product: its search, and whether its answer holds every required string."""
        from pipelines.engine import Engine
        from pipelines.ingest import ingest

        settings = self._settings.model_copy(
            update={
                "storage": self._folder / f"index-{setup.embedder.replace('/', '-')}",
                "qdrant_url": "",
                "embed_model": setup.embedder,
                "reranker": setup.reranker,
                "context_tokens": setup.budget,
                "answer_mode": setup.answer,
            }
        )
        tell("  bringing the index up to date")
        ingest(list(corpus), settings)
        count = token_counter().count
        rows: dict[str, Scores] = {}
        with closing(Engine(settings)) as engine:
            for question in gold:
                try:
                    reply = engine.ask(question.question, history=question.history)
                    found = engine.search(question.question, setup.results, history=question.history)
                except TechRegError as error:
                    tell(f"  {question.id} failed: {error.message}")
                    rows[question.id] = dict.fromkeys((*METRICS, "required_in_budget", "answer_complete"), 0.0)
                    continue
                by_id = {clause.id: clause for clause in engine.clauses()}
                shown = [_judged(question, passage.clause, relevance) for passage in found.passages]
                known = [by_id[name] for name in found.candidates[:CANDIDATES] if name in by_id]
                scores = score(question, shown, [_judged(question, clause, relevance) for clause in known])
                within = fitting([one.text for one in shown], setup.budget, count)
                complete = isinstance(reply, Answer) and has_all(question, reply.text)
                rows[question.id] = scores | {
                    "required_in_budget": float(tells_all(question.must_include, within)),
                    "answer_complete": float(complete),
                }
        return rows

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()

    def _reply(self, system: str, question: str) -> str:
        assert self._model is not None  # require() has been called
        assert self._cache is not None
        messages: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": question}]
        key = f"{self._model.name}\n{system}\n{question}"
        reply = self._cache.get(key)
        if reply is None:
            reply = self._model.complete(messages, _REPLY_TOKENS)
            self._cache.put(key, reply)
        return reply


def _judged(question: GoldQuestion, clause: Clause, relevance: TextRelevance) -> Judged:
    answers = question.answered_by(clause) if question.evidence else relevance.answers(question, clause.text)
    return Judged(answers, clause.section, f"{clause.term}\n{clause.text}", clause.label)
