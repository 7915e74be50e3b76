"""What a release of several tables says of itself, held against its rows and the policy: the facts
of each table, the labels and bounds of its values, and what it says of its columns. What it tells
and none expects is refused, as of one table (see :mod:`anonsql.verification.about`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction

from anonsql.engines.base import (
    COMPLETED_TABLES,
    EXTRA_TABLES,
    KEY,
    OTHER_TABLES,
    REFERENCES,
    ReleaseTables,
    other_tables_of,
    references_of,
)
from anonsql.labels.bench import bench_for
from anonsql.policy import promise_text
from anonsql.policy.columns import acceptances
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.release_parts import COMPLETED, completed_fact
from anonsql.policy.table_plan import TablePlan
from anonsql.verification import labels, stated
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.stated import (
    COUNT,
    VERSION,
    Between,
    Exactly,
    Expected,
    Unproved,
    stated_offences,
)


def of_values(tables: ReleaseTables, view: TablePlan) -> list[str]:
    """Return the labels of a table that its hierarchies do not have, bounds that are not those of
    their labels, and what ``__columns`` says that is not so. ``view`` is the policy of the table by
    itself."""
    with bench_for(tables.engine) as bench:
        offences, looks = labels.described(bench, tables, view, [], leveled=True)
    names = [column.name for column in tables.engine.columns(tables.rows)]
    return offences + stated.column_offences(view, names, tables.stated_columns, looks)


def of_about(
    release: Mapping[str, ReleaseTables],
    policy: RelationalPolicy,
    rows: Mapping[str, int],
    not_covered: Mapping[str, str],
) -> list[str]:
    """Return the facts of ``__about`` of all tables that the release and the policy contradict, or
    do not ask for. ``rows`` are those of each table, by the policy's name, ``not_covered`` what the
    promise does not cover of a table."""
    facts = {name: facts_of(tables) for name, tables in release.items()}
    offences = []
    for name, about in facts.items():
        expected = _expected(policy, name, rows[name])
        if name in not_covered:
            expected["not_covered"] = Exactly(not_covered[name])
        references, others = references_of(about), other_tables_of(about)
        same = {REFERENCES: references == policy.released_references(name)}
        same[REFERENCES] &= about.get(REFERENCES) == json.dumps(references)
        if name == policy.privacy.of:
            wanted = [policy.released_name(entry) for entry in policy.released if entry != name]
            same[OTHER_TABLES] = sorted(others) == sorted(wanted)
            same[OTHER_TABLES] &= about.get(OTHER_TABLES) == json.dumps(others)
        wrong = stated_offences({f: text for f, text in about.items() if f not in same}, expected)
        different = [f"other {fact} than the policy" for fact, right in same.items() if not right]
        different += _gone(policy, name, about, rows)
        wrong += [f"__about says {text}" for text in different]
        offences += [f"{name}{text}" for text in wrong]
    for fact in ("release", "anonsql"):
        if len({about.get(fact) for about in facts.values()}) > 1:
            offences.append(f"the tables are of different releases: __about has another {fact}")
    return offences


def _expected(policy: RelationalPolicy, name: str, rows: int) -> dict[str, Expected]:
    texts = {
        "method": policy.method.type,
        "k": str(policy.privacy.k),
        "of": policy.released_name(policy.privacy.of),
        "known_rows": str(policy.privacy.known_rows),
        "rows": str(rows),
        KEY: str(policy.tables[name].key),
    }
    by_name: dict[str, Expected] = {
        "release": Unproved("[0-9a-f]{16}"),
        "anonsql": Unproved(VERSION),
    }
    texts |= acceptances(policy.tables[name].columns)
    if policy.has_completed(name):
        texts[COMPLETED] = completed_fact(policy.release.completed)
    if policy.tables[name].public:
        texts["public"] = "yes"
    else:
        texts["promise"] = promise_text.of_tables(policy)
        texts["suppression_limit"] = str(policy.limit(name))
        by_name |= dict.fromkeys(("suppressed", "with_others", "beyond_max_rows"), Unproved(COUNT))
    if name == policy.privacy.of:
        texts |= policy.model_facts
        if policy.release.completed:
            texts[EXTRA_TABLES] = f"__{COMPLETED}"
            texts[COMPLETED_TABLES] = json.dumps(policy.other_completed)
        by_name["loss"] = Between(Fraction(0), Fraction(1))
    return by_name | {fact: Exactly(text) for fact, text in texts.items()}


def _gone(
    policy: RelationalPolicy, name: str, about: Mapping[str, str], rows: Mapping[str, int]
) -> list[str]:
    if policy.tables[name].public:
        return []
    gone, offences = count_of(about, "suppressed"), []
    before = rows[name] + gone + count_of(about, "with_others")
    if gone < 0 or gone > policy.most(name, before):
        offences.append(
            f"suppressed={about.get('suppressed')}, and the policy allows"
            f" {policy.most(name, before):,} of {before:,}"
        )
    can_be = {"with_others": name != policy.privacy.of, "beyond_max_rows": policy.capped(name)}
    offences += [
        f"{fact}={about.get(fact)}, which cannot be"
        for fact, possible in can_be.items()
        if count_of(about, fact) > 0 and not possible
    ]
    return offences
