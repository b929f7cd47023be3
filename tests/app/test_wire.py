"""Records sent to another process come back equal; errors come back as the same class."""

from __future__ import annotations

import pytest

from app import wire
from pipelines import errors
from pipelines.schema import Clause, Failure, LineBox, Reference, Refusal, Understood


def test_a_clause_comes_back_equal(clause):
    from dataclasses import replace

    whole = replace(
        clause,
        lines=(LineBox(12, 1.0, 2.5, 3.0, 4.0, 0, 9),),
        references=(Reference("article", "C3.10", "C3.10(n)", 2, 9),),
        inserted=((0, 3),),
    )
    assert wire.load(Clause, wire.dump(whole)) == whole
    assert wire.load(tuple[Clause, ...], wire.dump((whole, clause), tuple[Clause, ...])) == (whole, clause)


@pytest.mark.parametrize(
    "reply",
    [
        Refusal("q", "no", Understood("q"), 0.1, ("B1",)),
        Failure("q", "ModelTimeout", "late", "wait", ms={"total": 1.0}),
    ],
)
def test_a_reply_comes_back_as_what_it_was(reply):
    assert wire.load_reply(wire.dump(reply)) == reply


def test_every_error_comes_back_as_its_class():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) > 10
    for kind in kinds:
        with pytest.raises(kind) as raised:
            wire.raise_error({"type": kind.__name__, "message": "what", "fix": "do"})
        assert (type(raised.value), raised.value.message, raised.value.fix) == (kind, "what", "do")


@pytest.mark.parametrize("shaped", [{"detail": "unprocessable"}, {"type": "NoSuchError", "message": ""}, {}])
def test_anything_else_is_an_error_too(shaped):
    with pytest.raises(errors.TechRegError, match="the server answered"):
        wire.raise_error(shaped)
