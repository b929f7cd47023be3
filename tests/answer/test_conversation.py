from __future__ import annotations

import pytest

from pipelines.conversation import articles_named, leans_on_earlier, resolve

FIRST = "How many sets of tyres does a driver get for a Competition?"


@pytest.mark.parametrize(
    "question",
    [
        "and in the sprint?",
        "What about the rear?",
        "who decides that?",
        "in the wet?",
        "why?",
        "how often?",
        "does it apply in practice?",
        "what work is forbidden during it?",
        "Ok, and what if it rains?",
        "can they use an outside pump for that?",
    ],
)
def test_follow_ups_carry_the_topic(question: str) -> None:
    resolved = resolve(question, [FIRST])
    assert resolved.follow_up
    assert resolved.question == f"{FIRST} {question}"


@pytest.mark.parametrize(
    "question",
    [
        "What is the minimum weight of the car?",
        "Is it true that a car may be reversed in the pit lane?",
        "Can a team encrypt its driver conversations so that nobody can listen?",
        "DRS",
        "B1.6.3",
        "Who owns Formula 1, and who gets to exploit it commercially?",
        "How long does it take to appeal?",
        "safety car in this lap",
    ],
)
def test_a_new_topic_is_noticed(question: str) -> None:
    resolved = resolve(question, [FIRST])
    assert not resolved.follow_up
    assert resolved.question == question


def test_the_first_question_stands_alone_whatever_it_says() -> None:
    assert resolve("and in the sprint?", []).question == "and in the sprint?"
    assert not resolve("and in the sprint?", ["", "  "]).follow_up


def test_the_topic_is_the_last_question_that_stood_alone_and_what_followed_it() -> None:
    history = ["How heavy must the car be?", FIRST, "and in the sprint?"]
    assert resolve("who checks that?", history).question == f"{FIRST} and in the sprint? who checks that?"


def test_articles_are_carried_unless_the_follow_up_names_its_own() -> None:
    assert resolve("and in 2027?", ["What changed in B1.6?"]).articles == ("B1.6",)
    assert resolve("and in B1.7?", ["What changed in B1.6?"]).articles == ()
    assert articles_named("see C 5.2.3, app C2 and article 5.2") == ("C 5.2.3", "app C2", "article 5.2")


def test_a_long_conversation_keeps_its_opening_and_the_newest_turns_within_the_budget() -> None:
    turns = [f"and with {number}?" for number in range(20)]
    resolved = resolve("and now?", [FIRST, *turns], budget_words=20)
    assert resolved.trimmed
    assert resolved.question.startswith(FIRST)
    assert "and with 19?" in resolved.question
    assert "and with 0?" not in resolved.question
    assert len(resolved.question.split()) <= 22
    assert not resolve("and now?", [FIRST, *turns[:2]]).trimmed


def test_conversations_do_not_mix() -> None:
    assert "tyres" in resolve("and in the sprint?", [FIRST]).question
    assert "tyres" not in resolve("and in the sprint?", ["How long is the race?"]).question


def test_leaning_is_told_from_the_question_alone() -> None:
    assert leans_on_earlier("the maximum?")
    assert not leans_on_earlier("maximum width of the car")
