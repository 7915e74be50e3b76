"""Identifying columns that are replaced: by surrogates, NULL or a constant."""

from __future__ import annotations

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.policy import Policy

from .engines import DATABASES, ENGINES, policy_on
from .support import make_table, policy_data, rows_of

EACH = {**ENGINES, **DATABASES}
ODD = ["o'Hara", 'say "hi"', "Žofie", "žofie", "zofie", "zofie ", "日本", "50%; --", "\\", "NULL"]
TYPES = {"who": "VARCHAR", "card": "INTEGER", "phone": "VARCHAR", "town": "VARCHAR", "s": "VARCHAR"}
COLUMNS = {
    "who": {"role": "identifying", "replace": "surrogate"},
    "card": {"role": "identifying", "replace": "null"},
    "phone": {"role": "identifying", "replace": "constant"},
    "town": {"type": "suppression"},
    "s": "sensitive",
}


def visits():
    """Rows by town: two of each person, and two that name nobody."""
    named = [(name, 7 * n, f"0{n}", "ab"[n % 2], f"{n}") for n, name in enumerate(ODD)]
    again = [(name, card, phone, town, s + "'") for name, card, phone, town, s in named]
    return [*named, *again, (None, None, None, "a", "x"), (None, 1, "2", "b", "y")]


@pytest.fixture(params=EACH)
def engine(request, tmp_path):
    made = EACH[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


def test_every_engine(engine):
    rows = visits()
    engine.make(TYPES, rows)
    policy = policy_on(engine, policy_data(COLUMNS, k=5))
    report = anonsql.run(policy)
    assert {each.column: each.looks_like for each in report.columns}["card"] == "always NULL"
    released = engine.read()
    assert {(card, phone) for _, card, phone, _, _ in released} == {(None, "*")}
    name_of = {s: who for who, _, _, _, s in rows}
    pairs = {(name_of[s], number) for number, _, _, _, s in released}
    assert {number for _, number in pairs if number is not None} == set(range(1, len(ODD) + 1))
    assert len(pairs) == len(ODD) + 1 and (None, None) in pairs
    anonsql.verify(policy)
