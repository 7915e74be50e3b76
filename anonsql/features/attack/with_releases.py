"""``anonsql attack --with``: the composition of releases of the same table, by the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from anonsql.attacks.composition import NO_CLASSES, Composition, Placed, Sets
from anonsql.attacks.sides import Sides
from anonsql.engines import open_file
from anonsql.engines.base import Context, ReleaseTables
from anonsql.errors import PolicyError, Problem
from anonsql.features.attack.document import OfTogether, Together
from anonsql.grammar.forms import column_of
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs import pipeline, source_columns
from anonsql.jobs.job import Job, Opened
from anonsql.policy import methods
from anonsql.policy.columns import GENERALIZED, KEPT, ColumnPolicy
from anonsql.policy.hierarchy import SuppressionHierarchy
from anonsql.policy.locations import Location
from anonsql.policy.method import MethodSettings
from anonsql.policy.privacy import Privacy
from anonsql.policy.table_plan import TablePlan
from anonsql.query import opening
from anonsql.system.numbers import counted
from anonsql.verification.facts import count_of, facts_of

_OWN = "the policy's release"
_AS_IT_IS = ColumnPolicy(role="quasi-identifying", hierarchy=SuppressionHierarchy())


@dataclass(frozen=True)
class _Release:
    """A release with its facts and levels, and its rows placed by combinations of columns."""

    name: str
    about: Mapping[str, str]
    levels: Mapping[str, int]
    rows: int
    placed: Mapping[int, Placed]


class _Hierarchies:
    """The dimension tables of the policy that is read by: those of one at a time."""

    def __init__(self, job: Job) -> None:
        self._job, self._policy, self._attributes = job, job.policy, job.counted.attributes

    def of(self, policy: TablePlan, where: str) -> Sequence[Attribute]:
        """Return the attributes of a policy, with dimension tables of the job's source. Raise
        PolicyError where its hierarchies do not fit the source."""
        job, named = self._job, policy.quasi_identifiers
        same = named.items() <= self._policy.quasi_identifiers.items()
        if same and policy.method == self._policy.method:
            return [one for one in self._attributes if one.name in named]
        job.engine.drop(*(f"dim_{attribute.index}" for attribute in self._attributes))
        made = Job(
            policy, job.places, job.engine, job.target, job.catalog, job.context, job.progress
        )
        columns = [column for column in job.opened.columns if column.name in policy.columns]
        made.opened = Opened(job.opened.source, columns)
        with closing(made.leaves), closing(made.workbench):
            pipeline.go_through(made, pipeline.DIMENSIONS[1:])
        if made.problems:
            raise _named_by(where, PolicyError(made.problems))
        job.engine.drop("combinations", "marked")
        self._policy, self._attributes = policy, made.counted.attributes
        return self._attributes


def audit(
    job: Job, published: ReleaseTables, others: Sequence[object]
) -> tuple[Together, list[str]]:
    """Return the composition of the job's release and ``others``, and how that falls short of k.
    The source is open, and its dimension tables exist. Raise PolicyError if a release cannot be
    compared."""
    policy, releases = job.policy, list[_Release]()
    hierarchies, comparison = _Hierarchies(job), Composition(job.engine, job.opened.source)
    entity = next(
        (column for column in job.opened.columns if column.name == policy.privacy.entity), None
    )
    try:
        own = _OtherRelease(_OWN, "release", published)
        releases.append(_looked_at(job, comparison, hierarchies, own))
        for number, value in enumerate(others, start=1):
            job.progress("together", number, 1 + len(others))
            with _opened(job, value) as other:
                if other is not None and not _is_among(releases, other):
                    releases.append(_looked_at(job, comparison, hierarchies, other))
        sets = []
        for number, _ in enumerate(policy.combinations):
            placed = [release.placed[number] for release in releases if number in release.placed]
            sets.append(comparison.sets(placed, policy.privacy.k, entity))
    finally:
        comparison.drop()
    worst = min(sets, key=lambda one: (not one.undetermined, one.units, -one.small_rows))
    return _document(policy, releases, worst), _offences(policy, releases, sets)


def _is_among(releases: Sequence[_Release], other: _OtherRelease) -> bool:
    """Return whether a release was looked at already: it may have been copied."""
    stated = facts_of(other.tables).get("release")
    return stated is not None and any(
        release.about.get("release") == stated for release in releases
    )


def _looked_at(
    job: Job, comparison: Composition, hierarchies: _Hierarchies, given: _OtherRelease
) -> _Release:
    tables, own = given.tables, set(job.policy.quasi_identifiers)
    about = facts_of(tables)
    _require_classes(given.where, about.get("method", ""))
    read_by = _read_by(job, given, about.get("method"))
    rows = int(tables.engine.query("sql/rows", table=tables.rows)[0][0])
    if rows <= max(0, count_of(about, "masked")):
        return _Release(given.name, about, {}, rows, {})
    attributes = hierarchies.of(read_by, given.where)
    sides = Sides(job.engine, tables, read_by, job.opened.source, attributes)
    known = [*sides.labels, *(one for one in sides.values if one.name in own)]
    lacking = (own & read_by.columns.keys()) - {one.name for one in known}
    if lacking:
        named = ", ".join(map(repr, sorted(lacking)))
        text = f"its values of {named} cannot be compared with the source's."
        raise PolicyError.at(given.where, text, "Cast one of them in a view.")
    placed = {}
    with closing(sides):
        sides.make(job.opened.source, None)
        for number, combination in enumerate(job.policy.combinations):
            chosen = [one for one in known if one.name in combination or one.name not in own]
            if chosen:
                placed[number] = comparison.place(given.where, sides, chosen)
    stated = {one.name: one.level for one in tables.stated_columns if one.level is not None}
    levels = {one.name: stated[one.name] for one in sides.labels if one.name in stated}
    return _Release(given.name, about, levels, rows, placed)


def _require_classes(where: str, method: str) -> None:
    """Raise PolicyError unless a method releases rows in classes of true labels."""
    traits = methods.traits(method)
    if traits.equal_rows_are_classes and not (traits.changes_values or traits.releases_apart):
        return
    text = f"it was made by {method}, and a row's values do not determine its class there."
    raise PolicyError.at(where, text, NO_CLASSES)


def _read_by(job: Job, given: _OtherRelease, method: str | None) -> TablePlan:
    """Return the policy whose hierarchies read a release: its own if known, else the job's, with
    the columns that the release and the source share."""
    base, own = given.policy or job.policy, job.policy.quasi_identifiers
    known = {column.name for column in job.opened.columns}
    columns = {column.name for column in given.tables.engine.columns(given.tables.rows)}
    shared: dict[str, ColumnPolicy] = {}
    unknown = list[str]()
    for name, role, _, form, _ in given.tables.stated_columns:
        if name not in columns or column_of(name, form) is not None:
            continue
        if role in GENERALIZED and name not in known:
            unknown.append(name)
        elif role in GENERALIZED:
            shared[name] = base.quasi_identifiers.get(name, _AS_IT_IS)
        elif role in KEPT and form == "value":
            shared[name] = ColumnPolicy.model_validate({"role": role})
    if unknown:
        text = f"it generalizes {', '.join(map(repr, unknown))}, which the source does not have."
        raise PolicyError.at(given.where, text, "Name a release of this source.")
    if all(one.hierarchy is None and name not in own for name, one in shared.items()):
        text = "it has none of the quasi-identifying columns."
        raise PolicyError.at(given.where, text, "Name a release of this source.")
    settings = base.method if method in (None, base.method.type) else _default(method, base.method)
    return base.changed(columns=shared, privacy=Privacy(k=2), method=settings)


def _default(method: str | None, otherwise: MethodSettings) -> MethodSettings:
    settings = methods.settings_of(method)
    try:
        return otherwise if settings is None else settings.model_validate({"type": method})
    except ValidationError:
        return otherwise


def _document(policy: TablePlan, releases: Sequence[_Release], sets: Sets) -> Together:
    return Together(
        k=policy.privacy.k,
        columns=list(sets.columns),
        originals=sets.originals,
        released=sets.released,
        sets=sets.sets,
        smallest=sets.rows,
        smallest_people=None if policy.privacy.entity is None else sets.units,
        small_sets=sets.small_sets,
        small_rows=sets.small_rows,
        undetermined=sets.undetermined,
        releases=[_of_release(release, sets) for release in releases],
    )


def _of_release(release: _Release, sets: Sets) -> OfTogether:
    placed = next(
        (part for part in release.placed.values() if set(part.columns) <= set(sets.columns)), None
    )
    return OfTogether(
        release=release.name,
        method=release.about.get("method"),
        k=count_of(release.about, "k") if "k" in release.about else None,
        rows=release.rows,
        levels=dict(release.levels),
        classes=placed.classes if placed else 0,
        smallest_class=placed.least if placed else 0,
        left_out=placed.left_out if placed else 0,
        absent=sets.originals - placed.fitting if placed else sets.originals,
        unseen=placed.unseen if placed else 0,
    )


def _offences(
    policy: TablePlan, releases: Sequence[_Release], all_sets: Sequence[Sets]
) -> list[str]:
    k, units = policy.privacy.k, "people" if policy.privacy.entity else "rows"
    listed = f"the {len(releases):,} releases together" if len(releases) > 1 else "the release"
    offences = []
    for sets in all_sets:
        on_columns = f" on ({', '.join(sets.columns)})" if policy.privacy.several else ""
        if sets.small_rows:
            offences.append(
                f"{listed} leave {sets.small_rows:,} rows of the source among fewer than k={k}"
                f" {units}, at least {sets.units:,}, in"
                f" {counted(sets.small_sets, 'set')}{on_columns}"
            )
        if sets.undetermined:
            offences.append(
                f"{listed} may leave {sets.undetermined:,} rows of the source among fewer than"
                f" k={k} {units}: classes have fewer released rows than the source has, and it is"
                f" not known which of these were released{on_columns}"
            )
    return offences


@dataclass(frozen=True)
class _OtherRelease:
    """An open release: its ``name`` as given, ``where`` for messages, and its policy if that was
    named."""

    name: str
    where: str
    tables: ReleaseTables
    policy: TablePlan | None = None


@contextmanager
def _opened(job: Job, value: object) -> Iterator[_OtherRelease | None]:
    """Open a release by the user's input; None if it is the job's own."""
    named = str(value) if isinstance(value, (str, Path)) else "release"
    where = f"--with {named}"
    try:
        location, given = opening.given(value)
        policy = given if given is None else source_columns.resolved(given, reading=True)
        table = policy.release.name if policy is not None else _only_table(job, location, where)
        if location.same(job.places.release) and table == job.first.release.name:
            yield None
            return
        name = named if isinstance(value, (str, Path)) else f"{location} {table}"
        with _tables(job, location, policy, table) as tables:
            yield _OtherRelease(name, where, tables, policy)
    except PolicyError as error:
        raise _named_by(where, error) from None


def _named_by(where: str, error: PolicyError) -> PolicyError:
    return PolicyError(
        [
            problem
            if problem.where.startswith("--with ")
            else Problem(where, f"{problem.where}: {problem.found}", problem.remedy)
            for problem in error.problems
        ]
    )


@contextmanager
def _tables(
    job: Job, location: Location, policy: TablePlan | None, table: str
) -> Iterator[ReleaseTables]:
    """Open the tables of a release: files next to the source where that is possible."""
    if not location.has_own_engine:
        with (
            closing(open_file(job.engine, location, table, job.context)) as target,
            target.published() as tables,
        ):
            yield tables
        return
    with opening.opened(location, policy, table, _context(job)) as result:
        _let_clock_end(job)
        job.context.journal.clock.also_end(result.located.engine.interrupt)
        yield result.located


def _only_table(job: Job, location: Location, where: str) -> str:
    if location.is_file and not location.path.exists():
        raise PolicyError.at(where, f"there is no file {location}.", "Check the path.")
    if location.is_file and location.same(job.places.release):
        return job.first.release.name
    known = opening.tables_of(location, _context(job)) if location.is_file else []
    _let_clock_end(job)
    return opening.only_table(location, known, where)


def _context(job: Job) -> Context:
    """Return the context of another engine, with a private folder, which it empties when closed."""
    folder = job.context.workspace / "other"
    folder.mkdir(mode=0o700, exist_ok=True)
    return replace(job.context, workspace=folder)


def _let_clock_end(job: Job) -> None:
    """Let the clock end the statements of the job's engine again, after another one's."""
    job.context.journal.clock.limit(job.context.settings.seconds, job.engine.interrupt)
