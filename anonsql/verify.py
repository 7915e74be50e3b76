"""Independent verification: queries that return offenders, on the release alone and against the source.

Nothing of the search is used: no code, no frequency set, none of its templates but the one that judges classes. The
comparison with the source takes labels from the dimension tables, whose lint has checked that each value lies within
its labels' bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonsql import coded as coding
from anonsql import models, verify_anatomy
from anonsql.engines.base import ORDERED, Column, Engine, Located, Part, Relation
from anonsql.errors import VerificationError
from anonsql.hierarchies import Attribute
from anonsql.hierarchy_policy import MaskHierarchy
from anonsql.lattice import Levels
from anonsql.method_policy import Ring
from anonsql.models import Promise
from anonsql.policy import Policy
from anonsql.publish import GROUP, ByGroups, ByLevels, BySeparation, Recoding
from anonsql.risk import AT_RISK_SIZE

LABELS = ("VARCHAR", "VARCHAR[]")
"""The types that released labels can have: texts, or lists of texts."""


@dataclass(frozen=True)
class Classes:
    """The classes of a release as counted on it: numbers of rows and classes; of rings as it says of itself (see
    :class:`anonsql.methods.groups.GroupSizes`). Of anatomy these are groups, and rows that look alike in their quasi-identifying
    values are ``alike``."""

    rows: int
    classes: int
    min_class: int
    small_classes: int
    small_rows: int
    at_risk: int
    masked: int
    expected: float | None = None
    alike: Classes | None = None


def from_release_alone(release: Located, policy: Policy) -> Classes:
    """Check what is published, or staged, by nothing but itself and the policy; its classes when all is well.

    Of several combinations of columns that keep the promise each by itself, the classes of the one with the smallest
    class. Raises VerificationError listing every offence: a column that should not be there, a class smaller than k
    (bounds columns counted in), facts that do not agree with the rows or fall short of the policy.
    """
    engine = release.engine
    found_columns = engine.columns(release.rows)
    names = [column.name for column in found_columns]
    offences, about = structure_offences(release, policy), facts_of(release)
    labels = [name for name in policy.quasi_identifiers if name in names]
    bounds = [name for name in names if name in _bounds_names(policy)]
    if not labels:
        raise VerificationError([*offences, "no quasi-identifying column of the policy is in the release"])
    if any(column.name in labels and column.type != policy.label_type for column in found_columns):
        raise VerificationError(offences)
    k, worst = policy.privacy.k, None
    parameters = {"k": k, "at_risk": AT_RISK_SIZE, "masks": told_count(about, "masked") > 0}
    if isinstance(policy.method, Ring):
        worst = _rings_alone(engine, release, about)
    elif policy.separated is not None:
        separation, worst = _groups(release, policy, found_columns, parameters)
        offences += separation
    for combination in policy.combinations if worst is None and policy.separated is None else ():
        grouping = ([name for name in labels if name in combination], [name for name in bounds if name[:-3] in combination])
        if not grouping[0]:
            continue
        found = Classes(*engine.query("verify/classes", table=release.rows, labels=grouping[0], bounds=grouping[1], **parameters)[0])
        if found.small_classes:
            on = f" on ({', '.join(grouping[0])})" if policy.privacy.several else ""
            offences.append(f"{found.small_classes:,} classes{on} with {found.small_rows:,} rows in all are smaller than k={k}")
        offences += _promise_offences(policy, release, found_columns, grouping, (found.rows, missing_rows(about)))
        worst = found if worst is None or found.min_class < worst.min_class else worst
    if worst is None:  # every label belongs to a combination, but groups may be none
        raise VerificationError(offences)
    offences += fact_offences(policy, about, worst)
    if offences:
        raise VerificationError(offences)
    return worst


def _rings_alone(engine: Engine, release: Located, about: Mapping[str, str]) -> Classes:
    """What a release by rings says of itself: its partitions, and the least number of rows that any row may be."""
    rows = engine.query("verify/rows", table=release.rows)[0][0]
    least = told_count(about, "min_class")
    at_risk = rows if least <= AT_RISK_SIZE else 0
    return Classes(rows, told_count(about, "classes"), least, 0, 0, at_risk, 0, _measure(about, "expected_matches"))


def _groups(release: Located, policy: Policy, columns: Sequence[Column], parameters: Mapping[str, Any]) -> tuple[list[str], Classes | None]:
    """What is wrong with groups whose sensitive values are released apart, and how large they are. Rows that look alike are
    counted too: as such rows' quasi-identifying values are what they were, that is what identities are at risk by."""
    offences = verify_anatomy.offences(release, policy, columns)
    if offences:
        return offences, None
    labels = [each.name for each in columns if each.name in policy.quasi_identifiers]
    count, table = release.engine.query, release.rows
    alike = Classes(*count("verify/classes", table=table, labels=labels, bounds=[], **{**parameters, "k": 1})[0])
    found = Classes(*count("verify/classes", table=table, labels=[], bounds=[GROUP.name], **parameters)[0])
    if found.small_classes:
        offences.append(f"{found.small_classes:,} groups with {found.small_rows:,} rows in all are smaller than k={policy.privacy.k}")
    return offences, replace(found, alike=alike)


def structure_offences(release: Located, policy: Policy, lists: bool = False) -> list[str]:
    """What has nothing to do with the rows: columns that should not be there or are of a wrong type, facts told twice.
    Released values are of the policy's type, or, with ``lists``, texts or lists of texts; then raises VerificationError unless
    all are there and one of the two. Raises it too where other things lie with the release."""
    if release.strangers:
        raise VerificationError([f"what is no part of a release: {', '.join(release.strangers)}"])
    found = release.engine.columns(release.rows)
    facts = release.engine.query("verify/facts", table=release.about, columns=["property"])
    columns = release.engine.query("verify/facts", table=release.columns, columns=["column_name", "role", "level"])
    offences = _column_offences(policy, [column.name for column in found], columns) + _type_offences(policy, found, lists)
    if len(facts_of(release)) != len(facts) or len({name for name, _, _ in columns}) != len(columns):
        offences.append("__about or __columns tells something twice, or nothing")
    readable = {column.name for column in found if column.type in LABELS}
    if lists and not policy.quasi_identifiers.keys() <= readable:
        raise VerificationError(offences)
    return offences


def facts_of(release: Located) -> dict[str, str]:
    """What a release tells of itself."""
    facts = release.engine.query("verify/facts", table=release.about, columns=["property", "value"])
    return {name: value for name, value in facts if name is not None and value is not None}


def fact_offences(policy: Policy, about: Mapping[str, str], found: Classes) -> list[str]:
    """Facts that do not agree with the rows or fall short of the policy."""
    offences, k = [], policy.privacy.k
    if not k <= told_count(about, "k") <= max(found.min_class, k) or found.min_class < k <= found.rows:
        offences.append(f"the release promises k={about.get('k')}, the policy k={k}, the smallest class has {found.min_class:,} rows")
    counts = {"rows": found.rows, "masked": found.masked, **({} if policy.privacy.several else {"classes": found.classes})}
    for name, count in counts.items():
        if about.get(name) != str(count):
            offences.append(f"__about says {name}={about.get(name)}, the table has {count:,}")
    suppressed = told_count(about, "suppressed")
    if suppressed < 0:
        offences.append(f"__about says suppressed={about.get('suppressed')}")
    if suppressed > policy.privacy.max_suppressed(found.rows + suppressed - found.masked):
        offences.append(f"{suppressed:,} rows were suppressed, more than suppression_limit={policy.privacy.suppression_limit} allows")
    for name, asked in models.told(policy.privacy).items():
        if about.get(name) != asked:
            offences.append(f"__about says {name}={about.get(name)}, the policy {asked}")
    return offences


def missing_rows(about: Mapping[str, str]) -> int:
    """Rows of the source that the release does not have, by its facts."""
    return max(0, told_count(about, "suppressed") - max(0, told_count(about, "masked"))) + max(0, told_count(about, "quarantined"))


def _promise_offences(
    policy: Policy, release: Located, columns: Sequence[Column], grouping: tuple[list[str], list[str]], rows: tuple[int, int]
) -> list[str]:
    """Classes that break what the policy promises of sensitive columns. ``grouping`` are the labels and bounds columns,
    ``rows`` those of the release and those missing.

    With missing rows the source's own distribution is known within bounds only: the earth mover's distance between it
    and the release's is at most their share s, a value's share p of the release lies in [(1 - s) p, (1 - s) p + s] of
    the source. What must be true whatever those rows were is asked then; without such rows all of it.
    """
    asked = policy.privacy.about_columns()
    coded, problems = coding.plan(asked, columns, first=1)
    if problems or not coded or len(coded) < len(asked.coded_columns()):
        return [f"{each.where}: {each.found}" for each in problems]  # a missing column is told elsewhere
    coded = [coding.with_hierarchy(each, policy, nulls=1) for each in coded]
    promise = Promise.of(asked, coded).seen_alone(*rows)
    labels, bounds = grouping
    keys = [f"k{number}" for number in range(1, len(labels + bounds) + 1)]
    parameters = {"table": release.rows, "labels": labels, "bounds": bounds, "keys": keys, "coded": coded, "promise": promise}
    classes, failing = release.engine.query("verify/promise", **parameters)[0]
    if not classes:
        return []
    told = ", ".join(f"{name} ({what})" for name, what in models.told(asked).items())
    return [f"{classes:,} classes with {failing:,} rows in all do not keep {told}"]


def told_count(about: Mapping[str, str], name: str) -> int:
    """A fact that is a count; -1 when it is none."""
    value = about.get(name, "")
    return int(value) if value.isascii() and value.isdigit() else -1


def _measure(about: Mapping[str, str], name: str) -> float:
    """A fact that is a number; 0 when it is none."""
    try:
        return float(about.get(name, ""))
    except ValueError:
        return 0.0


def _bounds_names(policy: Policy) -> set[str]:
    """The names that bounds columns can have."""
    return {f"{name}_{end}" for name in policy.quasi_identifiers for end in ("lo", "hi")} - set(policy.columns)


def _type_offences(policy: Policy, columns: Sequence[Column], lists: bool = False) -> list[str]:
    """Generalized values are of the policy's type, with ``lists`` texts or lists of texts; their bounds are numbers or dates,
    and there are none of masked characters."""
    masked = {name for name in policy.quasi_identifiers if isinstance(policy.hierarchy(name), MaskHierarchy)}
    offences = []
    for column in columns:
        bounds = column.name in _bounds_names(policy)
        if column.name in policy.quasi_identifiers and column.type not in (LABELS if lists else (policy.label_type,)):
            offences.append(f"{column.name!r} is {column.type}, not {'text' if policy.label_type == 'VARCHAR' else 'arrays'}")
        elif bounds and (column.kind not in ORDERED or column.name[:-3] in masked):
            offences.append(f"{column.name!r} can be no bounds column")
    return offences


def _column_offences(policy: Policy, names: Sequence[str], columns: Sequence[tuple[str, str, int | None]]) -> list[str]:
    """Columns that are in the release and should not be, or the other way round."""
    offences = [
        f"the identifying column {name!r} is in the release"
        for name in names
        if name in policy.columns and policy.columns[name].role == "identifying"
    ]
    documented = {name for name, _, _ in columns}
    undocumented = sorted(set(names) - documented)
    if undocumented:
        offences.append(f"columns that __columns does not know: {', '.join(undocumented)}")
    kept = [name for name, column in policy.columns.items() if column.role != "identifying"]
    added = {GROUP.name} if policy.separated is not None else set()
    missing = sorted(added.union(kept) - {policy.separated} - set(names))
    if policy.separated in names:
        offences.append(f"the sensitive column {policy.separated!r} lies beside the quasi-identifying ones")
    if missing:
        offences.append(f"columns that are missing: {', '.join(missing)}")
    roles = {name: role for name, role, _ in columns}
    expected = {**{name: policy.columns[name].role for name in kept}, **dict.fromkeys(_bounds_names(policy), "quasi-identifying")}
    changed = sorted(name for name, role in roles.items() if expected.get(name, role) != role)
    if changed:
        offences.append(f"columns with another role than the policy's: {', '.join(changed)}")
    for name, _, level in columns:
        settings = policy.quasi_identifiers.get(name)
        if settings is None or level is None:
            continue
        least, most = settings.min_level or 0, settings.max_level
        if level < least or (most is not None and level > most):
            offences.append(f"{name!r} is at level {level}, outside the policy's limits")
    unknown = sorted(set(names) - set(policy.columns) - _bounds_names(policy) - added)
    if unknown:
        offences.append(f"columns that the policy does not know: {', '.join(unknown)}")
    return offences


def against_source(engine: Engine, tables: Mapping[Part, Relation], source: Relation, population: Relation, recoding: Recoding) -> None:
    """Check that the released rows are, as a multiset, exactly the source generalized, less what does not keep the whole
    promise: what people and a population have to do with it, only this can tell. Of groups also that what is released of
    them covers all that it was made from. ``tables`` are the release's as ``engine`` finds them."""
    by, rows = recoding.by, tables["rows"]
    if isinstance(by, BySeparation):
        if offences := verify_anatomy.differences(engine, tables, source, recoding, by):
            raise VerificationError(offences)
        return
    if isinstance(by, ByLevels):
        offences = []
        found = _difference(engine, rows, (source, population), recoding, by.levels)
    else:
        offences = _group_offences(engine, recoding, by)
        shared: dict[str, Any] = {"attributes": recoding.attributes, "released": recoding.released, "masked": recoding.suppression.masked}
        shared |= {"split": by.split, "valued": recoding.valued}
        if by.split:
            offences += _placed_offences(engine, source, shared)
        found = engine.query("verify/grouped", source=source, table=rows, **shared)[0]
        engine.drop("placed")
    different, by_rows = found
    if different:
        offences.append(f"{different:,} distinct rows, {by_rows:,} rows in all, are not the source generalized")
    if offences:
        raise VerificationError(offences)


def _placed_offences(engine: Engine, source: Relation, shared: dict[str, Any]) -> list[str]:
    """Rows that were given places among those of their cell and are not the source's, and groups that got others than were
    counted for them."""
    different, by_rows = engine.query("verify/placed", source=source, **shared)[0]
    offences = [f"{different:,} distinct rows, {by_rows:,} in all, are not the source's that were to be divided"] if different else []
    wrong = engine.query("verify/portions", **shared)[0][0]
    return offences + [f"{wrong:,} groups have other rows than were counted for them"] * (wrong > 0)


def _difference(engine: Engine, rows: Relation, given: tuple[Relation, Relation], recoding: Recoding, levels: Levels) -> tuple[int, int]:
    """Distinct rows that differ from the source generalized to levels, and by how many rows in all; ``given`` are the source
    and the population."""
    source, population = given
    labels = [each for each in recoding.released if each.kind == "label"]
    told: dict[str, Any] = {"released": recoding.released, "labels": labels, "attributes": recoding.attributes}
    told |= {"levels": levels, "coded": recoding.coded, "promise": recoding.promise}
    engine.run("models/table", name="verified_rows", select="verify/counted", source=source, **told)
    for each in recoding.coded:  # coded anew, from the rows themselves
        engine.drop(f"groups_{each.index}")
        engine.drop(f"values_{each.index}")
    coding.build(engine, recoding.coded, "verified_rows")
    engine.run("models/table", name="verified_groups", select="verify/judged", population=population, **told)
    judged = {"table": "verified_groups", "keys": [f"t{each.position}" for each in labels], "promise": recoding.promise}
    engine.run("models/table", name="verified_classes", select="models/classes", **judged)
    different, by_rows = engine.query("verify/difference", table=rows, masked=recoding.suppression.masked, **told)[0]
    for table in ("verified_rows", "verified_groups", "verified_classes"):
        engine.drop(table)
    return different, by_rows


def _group_offences(engine: Engine, recoding: Recoding, by: ByGroups) -> list[str]:
    """Released values that do not cover what they were made from, and classes that do not keep the promise."""
    offences = _uncovered(engine, recoding.attributes, by, "assigned")
    if by.rings:
        return offences + _ring_offences(engine, recoding, by)
    keys = [f"v{each.index}" for each in recoding.attributes]
    keys += [f"{end}{each.index}" for each in recoding.attributes if each.bounds_type for end in ("lo", "hi")]
    parameters = {
        "attributes": recoding.attributes,
        "promise": recoding.promise,
        "split": by.split,
        "valued": recoding.valued,
        "keys": keys,
    }
    classes, size = engine.query("verify/broken", **parameters)[0]
    if classes:
        offences.append(f"{classes:,} classes with {size:,} rows in all do not keep the promise")
    return offences


def _ring_offences(engine: Engine, recoding: Recoding, by: ByGroups) -> list[str]:
    """What keeps a release by rings from hiding every row among as many as is promised: that each window stands for so many
    rows and each row is in so many windows, that what is released of a window covers all of them, that its owner is one of
    them, and that no sensitive value is too frequent in a ring (Wong, Mamoulis, Cheung 2010, sections 4.2.1 and 6)."""
    promise, attributes = recoding.promise, recoding.attributes
    engine.run("verify/matches", attributes=attributes)
    found = {
        "rings do not close as they should": engine.query("verify/rings", k=promise.k)[0][0],
        "kinds of rows are released as windows that do not hold them": engine.query("verify/unmatched", attributes=attributes)[0][0],
    }
    if promise.models:
        found["rings have a sensitive value too often"] = engine.query("verify/crowded", models=promise.models)[0][0]
    offences = [f"{count:,} {what}" for what, count in found.items() if count] + _uncovered(engine, attributes, by, "matches")
    engine.drop("matches")
    return offences


def _uncovered(engine: Engine, attributes: Sequence[Attribute], by: ByGroups, table: str) -> list[str]:
    """Attributes of which something is released that does not cover what it was made from, or, by another ``table`` than
    ``assigned``, could have been made from."""
    names = {each.index: each.name for each in attributes}
    intervals = [each for each in attributes if by.forms[each.index] in ("numbers", "names")]
    others = [each for each in attributes if each not in intervals]
    found = [
        *(engine.query("verify/uncovered", table=table, attributes=others, forms=by.forms, array=by.arrays) if others else []),
        *(engine.query("verify/outside", table=table, attributes=intervals) if intervals else []),
    ]
    return [f"{pairs:,} values of {names[index]!r} are released as what does not cover them" for index, pairs in found]
