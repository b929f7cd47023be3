"""What tells whether a piece of a clause is needed in the answer: the columns that ``scripts/fit_need.py`` fits on."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.answer.extractive import Candidate, Question, heading_terms
from pipelines.answer.ports import PieceMatches
from pipelines.answer.words import stems
from pipelines.schema import Clause

Columns = dict[str, NDArray[np.float32]]
Floats = NDArray[np.float32]


def _any_of(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_SAYS = {
    "rule": _any_of(r"\b(must|may|shall|will|can|prohibited|permitted|not allowed|forbidden)\b"),
    "exception": _any_of(r"\b(except|unless|however|provided that|other than|notwithstanding|only if|only)\b"),
    "condition": _any_of(r"\b(if|where|in the event|in case|should)\b"),
    "aside": _any_of(r"for the avoidance of doubt|for clarity|may be found|set out in|in accordance with article"),
    "number": re.compile(r"\d"),
}
"""What a piece may have in it, whatever the question."""
_PENALTY = _any_of(r"penalt|disqualif|fine\b|fined|sanction|reprimand|points? deduct|drop|grid|exclu|stewards")
_BODY = re.compile(
    r"\b(FIA|Stewards?|Race Director|Delegate|Scrutineers?|Clerk of the Course|Promoter|Competitor|Panel|"
    r"Administration|WMSC|Council|Committee|CRH|Commercial Rights Holder|Officer)\b"
)
_TIME = _any_of(r"second|minute|hour|day|week|month|year|before|after|until|within|\d")
_ASKS = {
    "who": _any_of(r"\b(who|whom|whose|which (body|official|person|people))\b"),
    "whether": _any_of(
        r"^\W*(so |and |but |ok |hey |hi |,)*(can|may|is|are|do|does|must|could|would|will|has|have|should|am)\b"
        r"|\b(allowed|permitted|can (we|i|a|the|they|you)|may (we|i|a|the))\b"
    ),
    "consequence": _any_of(r"penal|happens? (if|when|to)|consequen|punish|sanction|fine\b|disqualif|what if"),
    "how_much": _any_of(
        r"how (many|much|big|large|long|wide|tall|heavy|fast|high|low|far|deep|often|thick)"
        r"|maximum|minimum|limit|max\b|min\b"
    ),
    "when": _any_of(r"\bwhen|deadline|how (long|soon|late|early)|by what time"),
    "which": _any_of(
        r"\b(which|what (are|kinds?|types?|items?|things|parts|components|information|documents)|list|name the|all )\b"
    ),
    "exception": _any_of(r"except|unless|exempt|ever|always|any (way|exception)"),
    "two_things": _any_of(r",? and (what|how|when|who|where|which|is|are|can|does|do|must)\b"),
}
"""What a question may ask for."""
_QUANTITY = re.compile(r"\d+(?:\.\d+)?")
_LONG_QUESTION = 20.0
_NO_NEIGHBOUR = -0.1
"""How much less relevant than a clause's first or last piece the one is that does not stand before or after it."""


def features(question: Question, clause: Clause, candidates: Sequence[Candidate], matches: PieceMatches) -> Columns:
    """The columns by name, one value a piece, in the order of the clause's pieces.

    Args:
        question: what is asked for.
        clause: the clause.
        candidates: its pieces with what they earn, at least one.
        matches: which of the question's tokens each piece matches.
    """
    texts = [clause.text[one.piece.start : one.piece.end] for one in candidates]
    return {
        **_relevance(candidates, matches),
        **_words(question, clause, candidates, texts),
        **_structure(candidates, texts),
        **_wording(question, texts, candidates),
        **_beside_the_best(candidates),
    }


def _relevance(candidates: Sequence[Candidate], matches: PieceMatches) -> Columns:
    """How the piece, alone and with what stands above it, matches the question's tokens."""
    late = np.array(matches.scores, dtype=np.float32)
    earned = np.array([one.score for one in candidates], dtype=np.float32)
    tokens, weights = matches.tokens, matches.weights
    above = [list(one.piece.under) for one in candidates]
    top, low = float(late.max()), float(late.min())
    whole = tokens.max(axis=0)
    best = tokens[int(earned.argmax())]
    joined = np.stack(
        [np.maximum(own, tokens[up].max(axis=0)) if up else own for own, up in zip(tokens, above, strict=True)]
    )
    steps = np.diff(late)
    return {
        "late": late,
        "late_behind": late - top,
        "late_share": _share(late),
        "earned": earned,
        "earned_behind": earned - earned.max(),
        "earned_share": _share(earned),
        "beyond_heading": np.maximum(tokens - matches.heading, 0) @ weights,
        "best_matches": (tokens >= whole - 1e-6) @ weights,
        "beyond_best": np.maximum(tokens - best, 0) @ weights,
        "with_above": joined @ weights - top,
        "above": np.array([max((late[i] for i in up), default=low) for up in above], dtype=np.float32) - top,
        "before": np.concatenate([[_NO_NEIGHBOUR], -steps]).astype(np.float32),
        "after": np.concatenate([steps, [_NO_NEIGHBOUR]]).astype(np.float32),
    }


def _words(question: Question, clause: Clause, candidates: Sequence[Candidate], texts: Sequence[str]) -> Columns:
    """The share of the question's word weight that the piece, what is above it and it alone has."""
    terms = [frozenset(stems(text)) for text in texts]
    heading = heading_terms(clause)
    asked = set(_QUANTITY.findall(question.text))
    kinds = np.array([sum(1 for kind in question.wanted if kind.search(text)) for text in texts])
    return {
        "words": _column(question.weight(own) for own in terms),
        "words_above": _column(
            question.weight(heading.union(*(terms[i] for i in one.piece.under)) - own)
            for one, own in zip(candidates, terms, strict=True)
        ),
        "words_of_its_own": _column(question.weight(own - heading) for own in terms),
        "kinds": _column(np.minimum(kinds, 2)),
        "has_kind": _column(kinds > 0),
        "lacks_kind": _column((kinds == 0) & bool(question.wanted)),
        "has_a_number_asked": _column(bool(asked & set(_QUANTITY.findall(text))) for text in texts),
    }


def _structure(candidates: Sequence[Candidate], texts: Sequence[str]) -> Columns:
    """Where the piece stands in its clause and what it is."""
    lengths = np.array([len(text.split()) for text in texts])
    count = len(candidates)
    places = np.arange(count)
    leading = {i for one in candidates for i in one.piece.under}
    return {
        "lead": _column(one.piece.lead for one in candidates),
        "row": _column(one.piece.kind == "row" for one in candidates),
        "header": _column(one.piece.kind == "header" for one in candidates),
        "item": _column(one.piece.kind == "item" for one in candidates),
        "pieces": np.full(count, np.log(count), dtype=np.float32),
        "length": _column(np.log1p(lengths)),
        "clause_length": np.full(count, np.log1p(lengths.sum()), dtype=np.float32),
        "first": _column(places == 0),
        "last": _column(places == count - 1),
        "place": _column(places / max(1, count - 1)),
        "depth": _column(len(one.piece.under) for one in candidates),
        "leads": _column(place in leading for place in range(count)),
    }


def _wording(question: Question, texts: Sequence[str], candidates: Sequence[Candidate]) -> Columns:
    """What kind of thing the piece says, and whether it is what the question asks for."""
    says = {name: _column(bool(pattern.search(text)) for text in texts) for name, pattern in _SAYS.items()}
    asks = {name: float(bool(pattern.search(question.text))) for name, pattern in _ASKS.items()}
    body = _column(bool(_BODY.search(text)) for text in texts)
    penalty = _column(bool(_PENALTY.search(text)) for text in texts)
    time = _column(bool(_TIME.search(text)) for text in texts)
    item = _column(one.piece.kind == "item" for one in candidates)
    full = np.ones_like(body)
    return {
        **{f"says_{name}": column for name, column in says.items()},
        "who_and_body": asks["who"] * body,
        "who_without": asks["who"] * (1 - body),
        "whether_and_rule": asks["whether"] * says["rule"],
        "whether_and_exception": asks["whether"] * says["exception"],
        "consequence_and_penalty": asks["consequence"] * penalty,
        "consequence_without": asks["consequence"] * (1 - penalty),
        "how_much_and_number": asks["how_much"] * says["number"],
        "how_much_without": asks["how_much"] * (1 - says["number"]),
        "when_and_time": asks["when"] * time,
        "when_without": asks["when"] * (1 - time),
        "which_and_item": asks["which"] * item,
        "exception_and_exception": asks["exception"] * says["exception"],
        "two_things": asks["two_things"] * full,
        "question_length": len(question.text.split()) / _LONG_QUESTION * full,
    }


def _beside_the_best(candidates: Sequence[Candidate]) -> Columns:
    """Where the piece stands to the one that earns most."""
    earned = np.array([one.score for one in candidates])
    best = int(earned.argmax())
    count = len(candidates)
    distance = np.abs(np.arange(count) - best)
    ahead = (earned[None, :] > earned[:, None]).sum(axis=1)
    under = candidates[best].piece.under
    items = [one.piece.kind == "item" for one in candidates]
    return {
        "next_to_best": _column(distance == 1),
        "distance_to_best": _column(distance / count),
        "best": _column(distance == 0),
        "ahead_share": _column(ahead / count),
        "ahead": _column(np.log1p(ahead)),
        "under_best": _column(item and best in one.piece.under for item, one in zip(items, candidates, strict=True)),
        "beside_best": _column(
            item and bool(one.piece.under) and one.piece.under == under
            for item, one in zip(items, candidates, strict=True)
        ),
    }


def _share(values: Floats) -> Floats:
    """0 for the least and 1 for the most of some values, 1 where they are all the same."""
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.ones_like(values)


def _column(values: object) -> Floats:
    if isinstance(values, np.ndarray):
        return values.astype(np.float32)
    return np.array(list(values), dtype=np.float32)  # type: ignore[call-overload]
