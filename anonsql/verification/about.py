"""Verification of the facts in ``__about``: a table of facts, each with the rule that checks it.

A new fact is one line of :data:`FACTS`: its name, and a function that returns its expected value by
the :class:`Proof` (the policy, and the counts of the release), or None where the release must not
state it. ``Exactly`` a text, a ``number`` that was recomputed, a number ``Between`` two limits
where the release alone leaves it open, or an ``Unproved`` text whose form alone is checked.
Families of facts, with a name for each column or model, are functions in :data:`FAMILIES`. A fact
that no line expects is refused, and so is an expected fact that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from anonsql.engines.base import EXTRA_TABLES
from anonsql.policy import promise_text
from anonsql.policy.columns import acceptances, loss_weights
from anonsql.policy.release_parts import COMPLETED, MARGINALS, MARGINALS_FACT, completed_fact
from anonsql.privacy import spending
from anonsql.privacy.differential import is_told
from anonsql.privacy.risk import facts_of as reached_facts
from anonsql.system.scalars import plain
from anonsql.verification import changes
from anonsql.verification.classes import Proof
from anonsql.verification.facts import promised
from anonsql.verification.stated import (
    COUNT,
    RELEASE,
    VERSION,
    Between,
    Exactly,
    Expected,
    Unproved,
    number,
    stated_offences,
)

_ROUNDED = Fraction(1, 10**5)
_TALLEST = 10**9
"""More than the levels of all hierarchies together, with their weights."""


def offences(proof: Proof) -> list[str]:
    """Return the facts that are not as they must be."""
    return stated_offences(proof.about, expected(proof))


def unprovable(proof: Proof) -> list[str]:
    """Return the facts that the release alone does not determine: only how they are written, or
    limits of theirs, can be checked."""
    facts = expected(proof)
    return sorted(name for name, exactly in facts.items() if exactly.open and name in proof.about)


def expected(proof: Proof) -> dict[str, Expected]:
    """Return the expectation of every fact, by property."""
    single = ((name, line(proof)) for name, line in FACTS.items())
    by_name = {name: exactly for name, exactly in single if exactly is not None}
    for family in FAMILIES:
        by_name |= family(proof)
    if proof.policy.privacy.differential is not None:
        by_name = {name: exactly for name, exactly in by_name.items() if is_told(name)}
    return by_name


def _policy_text(value: object) -> Expected:
    return Exactly(str(value))


def _suppressed(proof: Proof) -> Expected:
    """Return the expected number of suppressed rows: that of the masked rows, where there are any.
    How many rows were left out the release does not show."""
    if proof.classes.masked:
        return Exactly(str(proof.classes.masked))
    return Exactly("0") if "quarantined" in proof.about else Unproved(COUNT)


def _classes(proof: Proof) -> Expected | None:
    if proof.policy.privacy.several:
        return None
    if proof.form != "rings":
        return Exactly(str(proof.classes.classes))
    return Between(Fraction(1), Fraction(proof.rows, proof.policy.privacy.k))


def _min_class(proof: Proof) -> Expected | None:
    if proof.policy.privacy.several:
        return None
    if proof.form != "rings":
        return Exactly(str(proof.classes.min_class))
    return Between(Fraction(proof.policy.privacy.k), Fraction(proof.classes.rows))


def _expected_matches(proof: Proof) -> Expected | None:
    """Return the limits of the sum of size / window over rings: no window is larger than its ring,
    none smaller than the smallest. Where k counts people it is times the rows of the person who has
    most in the ring: at most 1 / min_people of a window."""
    if proof.form != "rings":
        return None
    least = "min_class" if proof.policy.privacy.entity is None else "min_people"
    most = Fraction(proof.classes.rows, max(1, proof.stated_count(least)))
    return Between(
        Fraction(proof.stated_count("classes")), max(most, Fraction(proof.stated_count("classes")))
    )


def _sensitive_share(proof: Proof) -> Expected | None:
    share = proof.sensitive_share
    return None if share is None else number(share)


def _optimal(proof: Proof) -> Expected | None:
    return Unproved("true|false") if "optimal" in proof.policy.method.facts else None


def _seeded(proof: Proof) -> Expected | None:
    return Exactly("yes") if "seeded" in proof.policy.method.facts else None


def _combinations(proof: Proof) -> Expected | None:
    if not proof.policy.privacy.several:
        return None
    return Exactly("; ".join(", ".join(names) for names in proof.policy.combinations))


def _extra_tables(proof: Proof) -> Expected | None:
    parts = proof.policy.release_parts
    return Exactly(", ".join(f"__{part}" for part in parts)) if parts else None


def _completed(proof: Proof) -> Expected | None:
    draws = proof.policy.release.draws
    return Exactly(completed_fact(draws)) if draws else None


def _quarantined(proof: Proof) -> Expected | None:
    """Return the expected number of rows that a scheme could not recode: only a release by `apply`,
    which knows levels alone, states it."""
    known = "quarantined" in proof.policy.method.facts and "quarantined" in proof.about
    return Unproved(COUNT) if known else None


def _over_time(pattern: str) -> Callable[[Proof], Expected | None]:
    return lambda proof: None if proof.policy.privacy.over_time is None else Unproved(pattern)


def _exposed(proof: Proof) -> Expected | None:
    """Return the expected number of rows that the absence of others exposes: stated where deletions
    are not protected."""
    promise = proof.policy.privacy.over_time
    return Unproved(COUNT) if promise is not None and promise.deletions == "tell" else None


def _max_group_loss(proof: Proof) -> Expected | None:
    """Return the expected limit on the loss of any group. Only the source shows whether it was
    kept."""
    limit = proof.policy.privacy.max_group_loss
    return None if limit is None else Exactly(plain(limit), open=True)


FACTS: dict[str, Callable[[Proof], Expected | None]] = {
    "promise": lambda proof: Exactly(promise_text.of_policy(proof.policy)),
    "method": lambda proof: _policy_text(proof.policy.method.type),
    "k": lambda proof: _policy_text(proof.policy.privacy.k),
    "suppression_limit": lambda proof: _policy_text(proof.policy.privacy.suppression_limit),
    "max_group_loss": _max_group_loss,
    "rows": lambda proof: Exactly(str(proof.classes.rows)),
    "suppressed": _suppressed,
    "quarantined": _quarantined,
    "masked": lambda proof: Exactly(str(proof.classes.masked)),
    EXTRA_TABLES: _extra_tables,
    MARGINALS: lambda proof: Exactly(MARGINALS_FACT) if proof.policy.release.marginals else None,
    COMPLETED: _completed,
    "identity": lambda proof: Exactly(proof.policy.identity) if proof.policy.identity else None,
    "quasi_identifiers": _combinations,
    "classes": _classes,
    "min_class": _min_class,
    "expected_matches": _expected_matches,
    "suppressed_share": lambda proof: number(Fraction(proof.suppressed, max(1, proof.rows))),
    "sensitive_share": _sensitive_share,
    "optimal": _optimal,
    "seeded": _seeded,
    spending.SPENT: lambda proof: (
        Unproved(spending.PATTERN) if proof.policy.privacy.differential is not None else None
    ),
    "over_time": _over_time("release [1-9][0-9]*(, begun anew)?"),
    "held_back": _over_time(COUNT),
    "exposed": _exposed,
    "anonsql": lambda proof: Unproved(VERSION),
    "release": lambda proof: Unproved(RELEASE),
}
"""Every property of ``__about`` except :data:`FAMILIES`, and its expectation."""


def _promises(proof: Proof) -> dict[str, Expected]:
    return {name: Exactly(text) for name, text in promised(proof.policy).items()}


def _accepted(proof: Proof) -> dict[str, Expected]:
    return {name: Exactly(text) for name, text in acceptances(proof.policy.columns).items()}


def _weights(proof: Proof) -> dict[str, Expected]:
    if not proof.policy.method.least_loss:
        return {}
    return {
        name: Exactly(text) for name, text in loss_weights(proof.policy.quasi_identifiers).items()
    }


def _changed(proof: Proof) -> dict[str, Expected]:
    """Return the expected facts about changed kept columns; :mod:`anonsql.verification.changes`
    compares the rows with them, and the source decides the rest."""
    return {
        name: Exactly(text)
        if text is not None
        else Unproved(r"\{.*\}" if name.endswith(".drawn") else changes.NUMBER)
        for name, text in changes.facts(proof.policy).items()
    }


def _relocated(proof: Proof) -> dict[str, Expected]:
    """Return the numbers of relocated entries, by column and in all, and of rows;
    :mod:`anonsql.verification.facts` checks that they add up."""
    if not proof.policy.method.changes_values:
        return {}
    names = [f"relocated_cells.{name}" for name in proof.policy.quasi_identifiers]
    return dict.fromkeys(["relocated_rows", "relocated_cells", *names], Unproved(COUNT))


def _texts(proof: Proof) -> dict[str, Expected]:
    """Return the facts about people and about kept columns, which the modules that verify those
    have counted."""
    return {name: Exactly(text, open=name in proof.bounded) for name, text in proof.texts.items()}


def _reached(proof: Proof) -> dict[str, Expected]:
    """Return how near the release comes to its limits; estimates may differ by computer beyond the
    digits that are written."""
    expected: dict[str, Expected] = {}
    for name, text in reached_facts(proof.classes.limits).items():
        try:
            value = Fraction(text)
        except ValueError:
            expected[name] = Exactly(text)
        else:
            expected[name] = Between(value * (1 - _ROUNDED), value * (1 + _ROUNDED), open=False)
    return expected


def _measures(proof: Proof) -> dict[str, Expected]:
    """Return the expected measures of usefulness, which protect nothing: the run's own record,
    whose form and range are checked, and the fact that says so. The writer has a list of its
    own."""
    facts, rows = proof.policy.method.facts, max(proof.rows, 1)
    most = {"loss": 1, "gcp": 1, "average_class_size": rows}
    most |= {} if proof.form == "rings" else {"discernibility": rows**2}
    most |= {"precision": 1} if "precision" in facts and proof.rows else {}
    most |= {"weighted-height": _TALLEST} if "weighted_height" in facts else {}
    of_method = {
        "group_gcp": 1,
        "height": _TALLEST,
        "ncp": rows * len(proof.policy.quasi_identifiers),
    }
    most |= {name: limit for name, limit in of_method.items() if name in facts}
    names = ", ".join(sorted(most))
    return {
        **{name: Between(Fraction(0), Fraction(limit)) for name, limit in most.items()},
        "recorded": Exactly(f"{names}: by the run, not recomputed by verify"),
    }


FAMILIES: tuple[Callable[[Proof], Mapping[str, Expected]], ...] = (
    _promises,
    _measures,
    _reached,
    _accepted,
    _weights,
    _changed,
    _relocated,
    _texts,
)
"""Facts whose names have a column or a model in them."""
