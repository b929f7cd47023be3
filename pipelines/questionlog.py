"""A log of questions, one JSON object a line; off unless the setting ``question_log`` names a file."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.schema import Answer, Failure, Reply


class QuestionLog:
    """Appends to a file. Safe to share between threads; a file that cannot be written raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def reply(self, reply: Reply, history: tuple[str, ...] = ()) -> None:
        """Log a question with what was understood, the passages, the answer and the time of each stage."""
        understood = asdict(reply.understood) if reply.understood else None
        passages = () if not isinstance(reply, Answer | Failure) else reply.passages
        self._append(
            {
                "event": "question",
                "question": reply.question,
                "history": list(history),
                "understood": understood,
                "passages": [{"id": p.clause.id, "article": p.clause.article, "score": p.score} for p in passages],
                "outcome": reply.outcome,
                "answer": reply.message if isinstance(reply, Failure) else reply.text,
                "citations": [asdict(c) for c in reply.citations] if isinstance(reply, Answer) else [],
                "fallback": isinstance(reply, Answer) and reply.fallback,
                "confidence": None if isinstance(reply, Failure) else reply.confidence,
                "model": reply.model,
                "warnings": list(reply.warnings),
                "ms": reply.ms,
            }
        )

    def feedback(self, question: str, helpful: bool, comment: str = "") -> None:
        """Log what a person thought of the answer to a question."""
        self._append({"event": "feedback", "question": question, "helpful": helpful, "comment": comment})

    def _append(self, event: dict[str, Any]) -> None:
        line = json.dumps({"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **event}, ensure_ascii=False)
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
