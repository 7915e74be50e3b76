"""Independent verification: queries that return offenders, on the release alone and against the source.

Nothing of the search is used: no code, no frequency set, none of its templates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine, Relation
from anonsql.errors import VerificationError
from anonsql.policy import Policy
from anonsql.publish import Recoding
from anonsql.risk import AT_RISK_SIZE


@dataclass(frozen=True)
class Classes:
    """The classes of a release as counted on it: numbers of rows and classes."""

    rows: int
    classes: int
    min_class: int
    small_classes: int
    small_rows: int
    at_risk: int
    masked: int


def from_release_alone(engine: Engine, release: Relation, policy: Policy) -> Classes:
    """Check what is published, or staged, by nothing but itself and the policy; its classes when all is well.

    Raises VerificationError listing every offence: a column that should not be there, a class smaller than k
    (bounds columns counted in), facts that do not agree with the rows or fall short of the policy.
    """
    table = policy.release.table
    relation = (*release, table)
    names = [column.name for column in engine.columns(relation)]
    about = dict(engine.query("verify/facts", table=(*release, f"{table}__about"), columns=["property", "value"]))
    told = ["column_name", "role", "level"]
    columns = engine.query("verify/facts", table=(*release, f"{table}__columns"), columns=told)
    offences = _column_offences(policy, names, columns)
    strangers = sorted(set(engine.tables(release)) - {table, f"{table}__about", f"{table}__columns"})
    if strangers:
        offences.append(f"tables that are no part of a release: {', '.join(strangers)}")
    quasi = [name for name, role, _ in columns if role == "quasi-identifying" and name in names]
    labels = [name for name in quasi if name in policy.quasi_identifiers]
    if not labels:
        raise VerificationError([*offences, "no quasi-identifying column of the policy is in the release"])
    k = policy.privacy.k
    masks = int(about.get("masked") or 0) > 0
    parameters = {"columns": quasi, "labels": labels, "k": k, "at_risk": AT_RISK_SIZE, "masks": masks}
    found = Classes(*engine.query("verify/classes", table=relation, **parameters)[0])
    if found.small_classes:
        offences.append(f"{found.small_classes:,} classes with {found.small_rows:,} rows in all are smaller than k={k}")
    if not str(about.get("k", "")).isdigit() or int(about["k"]) < k:
        offences.append(f"the release promises k={about.get('k')}, the policy k={k}")
    for name, count in (("rows", found.rows), ("masked", found.masked), ("classes", found.classes)):
        if about.get(name) != str(count):
            offences.append(f"__about says {name}={about.get(name)}, the table has {count:,}")
    suppressed = int(about.get("suppressed") or 0)
    if suppressed > policy.privacy.max_suppressed(found.rows + suppressed - found.masked):
        offences.append(f"{suppressed:,} rows were suppressed, more than suppression_limit={policy.privacy.suppression_limit} allows")
    if offences:
        raise VerificationError(offences)
    return found


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
    missing = sorted(set(kept) - set(names))
    if missing:
        offences.append(f"columns that are missing: {', '.join(missing)}")
    roles = {name: role for name, role, _ in columns}
    changed = sorted(name for name in kept if name in roles and roles[name] != policy.columns[name].role)
    if changed:
        offences.append(f"columns with another role than the policy's: {', '.join(changed)}")
    for name, _, level in columns:
        settings = policy.quasi_identifiers.get(name)
        if settings is None or level is None:
            continue
        least, most = settings.min_level or 0, settings.max_level
        if level < least or (most is not None and level > most):
            offences.append(f"{name!r} is at level {level}, outside the policy's limits")
    bounds = {f"{name}_{end}" for name in policy.quasi_identifiers for end in ("lo", "hi")}
    unknown = sorted(set(names) - set(policy.columns) - bounds)
    if unknown:
        offences.append(f"columns that the policy does not know: {', '.join(unknown)}")
    return offences


def against_source(engine: Engine, release: Relation, source: Relation, recoding: Recoding) -> None:
    """Check that the released rows are, as a multiset, exactly the source generalized and suppressed."""
    different, by_rows = engine.query(
        "verify/difference",
        source=source,
        table=(*release, recoding.table),
        attributes=recoding.attributes,
        released=recoding.released,
        levels=recoding.levels,
        k=recoding.k,
        suppressing=recoding.suppression.rows > 0,
        masked=recoding.suppression.masked,
    )[0]
    if different:
        raise VerificationError([f"{different:,} distinct rows, {by_rows:,} rows in all, are not the source generalized"])
