"""The proof of a promise over several releases: the coming ledger is true of the released rows, and
leaves no person among fewer than k.

It is given which rows are to be released (a relation that the comparison with the source proves to
be the release) and both states of the ledger, and computes names, classes and traces again, without
the code that decided which rows are held back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonsql.engines.base import Engine, OfColumn, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded
from anonsql.verification import source as against_source

_TRACES = "sets of rows with the same values in every release (traces)"


@dataclass(frozen=True)
class Claim:
    """The claim to prove: of the rows of ``source``, the rows of ``shown`` are released, at the
    ``levels`` of their ``attributes`` (by index), and the ``promise`` holds over all releases;
    ``protect``: for absent people, too. Where rows are released by groups
    (:mod:`anonsql.methods.groups`), there are no levels, and ``within`` are the columns that decide
    about a row's group in addition to the quasi-identifying ones."""

    source: Relation
    shown: Relation
    key: OfColumn
    attributes: Sequence[Attribute]
    levels: Mapping[int, int] | None
    coded: Sequence[Coded]
    promise: Promise
    protect: bool
    within: Sequence[Coded] = ()


def offences(engine: Engine, claim: Claim) -> list[str]:
    """Return where the coming ledger is wrong, and where the promise is broken. Needs
    ``ledger_rows``, ``ledger_next`` and ``ledger_secret`` in the engine."""
    shared: dict[str, Any] = {"attributes": claim.attributes, "coded": claim.coded}
    made = _show(engine, claim, shared)
    engine.run("verification/trace_rows", **shared)
    counted = {"attributes": claim.attributes, "people": _people(claim)}
    engine.run("verification/trace_sizes", **counted)
    texts = _untrue(engine) + _small(engine, claim)
    made += ["trace_rows", "trace_sizes"]
    if claim.promise.models:
        made += _refer(engine, claim)
        texts += _broken(engine, claim)
    engine.drop(*made)
    return texts


def _show(engine: Engine, claim: Claim, shared: Mapping[str, Any]) -> list[str]:
    """Make the table of the rows that are released, with numbers for their labels; return the names
    of the tables that this took."""
    parameters = {"source": claim.shown, "hash": engine.own["keyed_hash"], **shared}
    if claim.levels is None:
        engine.run("verification/shown_groups", attributes=claim.attributes)
        judged = [Coded(0, claim.key.column), *claim.coded]
        engine.run(
            "verification/shown_grouped_rows", judged=judged, valued=claim.within, **parameters
        )
        return ["shown_rows", "shown_groups"]
    for attribute in claim.attributes:
        engine.run("verification/shown_labels", a=attribute, level=claim.levels[attribute.index])
    engine.run("verification/shown_rows", key=claim.key, levels=claim.levels, **parameters)
    return ["shown_rows", *(f"shown_labels_{attribute.index}" for attribute in claim.attributes)]


def _untrue(engine: Engine) -> list[str]:
    lost, twice, absent, silent, other = engine.query("verification/trace_faults")[0]
    counted = {
        "rows that were released before are not in the ledger": lost,
        "rows are in the ledger more than once": twice,
        "rows are released according to the ledger, but not in the release": absent,
        "rows are in the release, but not in the ledger": silent,
        "rows have other values in the ledger than in the release": other,
    }
    return [f"{count:,} {what}" for what, count in counted.items() if count]


def _small(engine: Engine, claim: Claim) -> list[str]:
    k = claim.promise.k
    mixed, small, rows = engine.query("verification/trace_offences", k=k, protect=claim.protect)[0]
    return [
        f"{mixed:,} sets of rows that the ledger lists as released alike (traces) have rows that were"
        " released with different values"
    ] * (mixed > 0) + [
        f"{small:,} {_TRACES}, with {rows:,} rows in all, are smaller than k={k}"
    ] * (small > 0)


def _people(claim: Claim) -> int:
    """Return the number of the coded column that identifies people, from 1; 0 for none."""
    numbers = {column.index: number for number, column in enumerate(claim.coded, start=1)}
    return numbers.get(claim.promise.people, 0)


def _refer(engine: Engine, claim: Claim) -> list[str]:
    made = ["trace_whole", "trace_values"]
    whole = {"source": claim.source, "coded": claim.coded}
    engine.run("verification/trace_whole", **whole)
    made += against_source.refer(engine, claim.coded, "trace_whole")
    for column in claim.coded:
        engine.run("verification/trace_reference", a=column, hash=engine.own["keyed_hash"])
        made.append(f"trace_reference_{column.index}")
    engine.run("verification/trace_values", coded=claim.coded, protect=claim.protect)
    return made


def _broken(engine: Engine, claim: Claim) -> list[str]:
    promise = replace(claim.promise, k=1, people=0)
    known = [column.index for column in claim.coded if column.index != claim.promise.people]
    judged = {"table": "trace_values", "keys": ["trace"], "promise": promise, "known": known}
    broken, unknown = engine.query("verification/trace_broken", **judged)[0]
    return [f"{broken:,} {_TRACES} do not keep the promises about sensitive values"] * (
        broken > 0
    ) + [f"{unknown:,} {_TRACES} have values that the source no longer has"] * (unknown > 0)
