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

_STANDS_ALONE = 6  # a question with so many words of its own needs no topic, whatever its pronouns
_OPENING = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|right|then|well)\W+)*(?:and|but|or|also|plus|what about|how about|what else|anything else|"
    r"same (?:for|in|with|goes)|in (?:that|this|which|such a) case|if (?:so|not))\b",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"^\W*(?:the|in|on|at|for|with|during|after|before|under|by|from|since|until|what if|why)\b", re.I
)
_POINTING = re.compile(
    r"\b(?:that|this|those|these|such)\W*$"  # who decides that?
    r"|\b(?:in|for|of|with|to|by|under|during|after|before|than|about|against) (?:that|those|this|these)\W*$"
    r"|\b(?:that|this|those|these|such an?|the same) (?:case|rule|limit|situation|one|ones|way|penalty|test|article|"
    r"procedure|session|decision|deadline|requirement|maximum|minimum|figure|number|amount|device|system|part)s?\b"
    r"|\bthe (?:other|latter|former)(?: one)?\W*$",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers)\b", re.IGNORECASE)
_AFTER_PREPOSITION = re.compile(r"\b(?:in|for|of|with|to|by|under|during|after|before|than|about|on|from)\s+$", re.I)
# "it" that stands for nothing earlier: is it true that, how long does it take to
_EXPLETIVE = re.compile(
    r"\b(?:is|was|does|did|can|may|must|when|if|where|long|should|would|will|seconds|time) it (?:to|that|true|possible|"
    r"allowed|legal|illegal|okay|ok|take|banned|forbidden|mean|an?|necessary|compulsory|mandatory)\b"
    r"|\b(?:he|she|it|they) or (?:he|she|it|they)\b",
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
    many much long often ever just ok okay same other one ones else too during after before
    under than between within without over case happens happen happened apply applies
    allowed allow rule rules""".split()
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands on its own.

    ``question`` is what is searched; ``articles`` are ids carried over from earlier turns (none where the question
    names one itself); ``trimmed`` says that older turns no longer fitted into the budget; ``reworded`` that a language
    model wrote the question.
    """

    question: str
    follow_up: bool
    articles: tuple[str, ...] = ()
    trimmed: bool = False
    reworded: bool = False


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
    """Whether a question cannot be understood alone.

    It opens like a follow-up ("and in the sprint?"), is a fragment ("in the wet?"), points backwards ("who decides
    that?") or has a pronoun that nothing before it in the question can stand for ("does it apply in practice?").
    """
    content = content_words(question)
    if _OPENING.search(question) or (not content and not articles_named(question)):
        return True
    if len(content) >= _STANDS_ALONE:
        return False
    if len(content) <= 1 and _FRAGMENT.search(question):
        return True
    if _POINTING.search(question):
        return True
    pronoun = _PERSONAL.search(_EXPLETIVE.sub(lambda match: " " * len(match.group()), question))
    if pronoun is None:
        return False
    before = question[: pronoun.start()]
    named = len(content_words(before))
    return (named <= 3 and bool(_AFTER_PREPOSITION.search(before))) or (named <= 1 and len(content) <= 4)


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
