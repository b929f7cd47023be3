"""Follow-up questions, understood without a language model.

A conversation is the list of its earlier questions, oldest first, and nothing else: no state is kept between calls, so
two conversations can never mix. A follow-up ("and in the sprint?", "who decides that?") leans on what went before;
the topic it leans on is the last question that stood on its own and the follow-ups since then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

TOPIC_WORDS = 60
"""At most this many words of earlier questions are carried into a follow-up."""

_OPENING = re.compile(
    r"^\W*(?:and|but|or|so|also|then|plus|ok(?:ay)?|what about|how about|what if|what else|same (?:for|in|with)|"
    r"in (?:that|this|which) case|if (?:so|not)|why(?: not| so)?\W*$|since when|until when|"
    r"by (?:whom|when|how much)\W*$)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:that|this|those|these|it|its|they|them|their|he|him|she|the same|the other(?: one)?s?|the latter|"
    r"the former|either one|both of them|such a case)\b",
    re.IGNORECASE,
)
# "that" and the like point backwards only where the question itself names nothing they could stand for.
_RELATIVE = re.compile(
    r"\b(?:\w+ that (?:is|are|was|were|has|have|can|may|must|do|does|the|a|an|they|it|his|her|its|their|\w+s)\b"
    r"|(?:is|does|did|was|will|would|means?|say|says|said|so|such|states?|provided|is it true) that\b"
    r"|(?:is|was|does|can|may|must|when|if|where|how long|should|would|will) it "
    r"(?:to|that|true|possible|allowed|legal|okay|ok)\b"
    r"|this (?:year|season|rule ?book)|these (?:regulations|rules)|(?:he|she|it|they) or (?:he|she|it|they))",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"\b[A-F]\s?\d{1,2}(?:\.\d{1,2})+\b|\bapp(?:endix)?\s[A-F]\d\b|\barticle\s\d+(?:\.\d+)+\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:[’'.\-][^\W_]+)*")
_EMPTY = frozenset(
    """a an and are as at be been being but by can could did do does for from had has have how if in into is it its may
    might must of on or shall should so than that the their them then there these they this those to was were what when
    where which who whom whose why will with would you your i we us our me my about also any please tell give show say
    many much long often ever just ok okay same other one ones else case happens happen happened apply applies
    allowed allow rule rules""".split()
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands on its own.

    ``question`` is what is searched; ``articles`` are ids carried over from earlier turns (none where the question
    names one itself); ``trimmed`` says that older turns no longer fitted into the budget.
    """

    question: str
    follow_up: bool
    articles: tuple[str, ...] = ()
    trimmed: bool = False


def resolve(question: str, history: Sequence[str] = (), budget_words: int = TOPIC_WORDS) -> Resolved:
    """Make a question stand on its own, with the topic of the conversation where it leans on it.

    ``history`` holds the earlier questions, oldest first. Without history, or where the question is a new topic, the
    question comes back as it was.
    """
    turns = [turn.strip() for turn in history if turn.strip()]
    if not turns or not leans_on_earlier(question):
        return Resolved(question=question, follow_up=False)
    topic = _topic(turns)
    kept, trimmed = _within(topic, budget_words)
    carried = () if articles_named(question) else tuple(dict.fromkeys(a for turn in kept for a in articles_named(turn)))
    return Resolved(" ".join([*kept, question]), follow_up=True, articles=carried, trimmed=trimmed)


def leans_on_earlier(question: str) -> bool:
    """Whether a question cannot be understood alone: it opens like a follow-up, points backwards, or names nothing."""
    if _OPENING.search(question):
        return True
    content = [word for word in content_words(question) if word not in _EMPTY]
    if not content and not articles_named(question):
        return True
    pointing = _POINTING.search(_RELATIVE.sub(" ", question))
    if pointing is None:
        return len(content) <= 1 and not articles_named(question) and len(_WORD.findall(question)) <= 3
    before = [word for word in content_words(question[: pointing.start()]) if word not in _EMPTY]
    return len(before) <= 2 or len(content) <= 3


def content_words(text: str) -> list[str]:
    """The words of a text in lower case, without those that carry no meaning of their own."""
    return [word for word in (match.lower() for match in _WORD.findall(text)) if word not in _EMPTY]


def articles_named(text: str) -> tuple[str, ...]:
    """The article ids that a text spells out, as they stand."""
    return tuple(dict.fromkeys(match.group(0) for match in _ARTICLE.finditer(text)))


def _topic(turns: Sequence[str]) -> list[str]:
    """The last question that stood on its own and the follow-ups after it, oldest first."""
    start = len(turns) - 1
    while start > 0 and leans_on_earlier(turns[start]):
        start -= 1
    return list(turns[start:])


def _within(topic: Sequence[str], budget_words: int) -> tuple[list[str], bool]:
    """The topic within a number of words: its opening question first, then the newest follow-ups that fit."""
    opening, *later = topic
    words = opening.split()
    kept_opening = " ".join(words[:budget_words])
    left = budget_words - min(len(words), budget_words)
    kept: list[str] = []
    for turn in reversed(later):
        length = len(turn.split())
        if length > left:
            break
        kept.insert(0, turn)
        left -= length
    return [kept_opening, *kept], len(words) > budget_words or len(kept) < len(later)
