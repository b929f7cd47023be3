import dataclasses

from index.fakes import full_clause, make_clause
from pipelines.index.records import decode, encode
from pipelines.schema import Clause, Status


def test_every_field_of_a_clause_comes_back() -> None:
    clause = full_clause()
    assert decode(encode(clause), clause.document, clause.status) == clause


def test_the_full_clause_of_the_test_leaves_no_default_untested() -> None:
    clause = full_clause()
    for field in dataclasses.fields(Clause):
        if field.default is not dataclasses.MISSING:
            assert getattr(clause, field.name) != field.default, field.name


def test_the_status_is_that_of_now_not_of_reading() -> None:
    clause = make_clause()
    assert decode(encode(clause), clause.document, Status.SUPERSEDED).status is Status.SUPERSEDED
