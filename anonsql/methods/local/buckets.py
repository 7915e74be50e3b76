"""Local bucketization (Li, He, Sun, Local Generalization and Bucketization, 2019, sections 2.2 and
3.1).

Every column with withheld entries has buckets of its own, independent of the groups of rows and of
the buckets of other columns. A row is released with the number of the bucket of its entry; the
values of each bucket, with their counts, are released in a table of their own. So an attacker who
knows that a person is in a row learns the person's bucket, and each value of it with the
probability of its share there: at most 1/l where l-diversity is promised (Corollary 2), near its
share of all values where t-closeness is.

Which values meet in a bucket follows from the counts of the withheld values alone
(:mod:`anonsql.methods.local.bucket_plans`); which entries do is random, for each column anew, as
are the numbers of the buckets. So of all ways to assign the values of a bucket to its rows, the
release makes none likelier than another. Counts leave the engine, and plans by value enter it;
which row has which value is known to the database alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Engine
from anonsql.errors import PrivacyError, Problem
from anonsql.methods.anatomy import separate as anatomy
from anonsql.methods.local import bucket_plans
from anonsql.methods.local.bucket_plans import BucketPlan, Separation
from anonsql.privacy.base import Term
from anonsql.release.salts import fresh_salt
from anonsql.star.bucket_promises import Bucketized
from anonsql.star.coded import Coded
from anonsql.system.arrays import IntArray, np

_TRIED = 16
"""How many bucket sizes between two known ones one statement judges."""
_JUDGED = 1 << 21
"""About how many rows such a statement should read."""
_TOO_MANY = 1 << 25
"""Number of rows from which a size is skipped, as one twice as large costs less."""


@dataclass(frozen=True)
class BucketSizes:
    """The buckets of the column ``index``: ``cells``, the withheld entries; how many buckets, the
    smallest and the largest; ``share``, the greatest of a value in a bucket; ``spread``, the mean
    part of the ordered values that an entry's bucket spans (0: a single value, 1: all). All are 0
    where nothing is withheld."""

    index: int
    cells: int = 0
    buckets: int = 0
    smallest: int = 0
    largest: int = 0
    share: float = 0.0
    spread: float = 0.0


def deal(
    engine: Engine, columns: Sequence[Bucketized], *, whole: str, show_values: bool = False
) -> list[BucketSizes]:
    """Make the scratch table ``bucketed``: ``local_rows`` with the bucket b<index> of every
    withheld entry of each column (w<index> = 1; its value, which may be NULL, is s<index>), NULL
    for other entries. Return the sizes of the buckets, in the order of ``columns``.

    t-closeness is measured against all values of a column: s<index> of the table ``whole``. Raise
    PrivacyError where a value is too frequent for the promised l (which value goes to the log where
    values may be shown), or where even all withheld values of a column together are further than t
    from the distribution of all. The tables values_<index> and plan_<index> of the withheld values
    remain.
    """
    counted = {
        column.index: values
        for column in columns
        if len((values := _counts(engine, column, whole))[0])
    }
    problems = [
        unfit(engine, column, *counted[column.index], show_values=show_values)
        for column in columns
        if column.index in counted
    ]
    if lines := [
        f"{problem.where}: {problem.found} {problem.remedy}" for problem in problems if problem
    ]:
        raise PrivacyError("\n".join(lines))
    for bucketized in columns:
        if bucketized.index in counted:
            codes, counts = counted[bucketized.index]
            _keep(engine, bucketized.index, codes, _plan(engine, bucketized, codes, counts))
    dealt = list(counted)
    kept = [column.name for column in engine.columns(("local_rows",))]
    engine.drop("bucketed")
    indices = [column.index for column in columns]
    engine.run("methods/local/buckets/numbered")
    with fresh_salt(engine):
        for index in dealt:
            engine.run("methods/local/buckets/heaps", index=index)
        engine.run("methods/local/buckets/bucketed", kept=kept, columns=indices, dealt=dealt)
    engine.drop("numbered_rows", *(f"heaps_{index}" for index in dealt))
    rows = engine.query("methods/local/buckets/sizes", dealt=dealt) if dealt else []
    sizes = {row[0]: BucketSizes(*row) for row in rows}
    return [sizes.get(column.index, BucketSizes(column.index)) for column in columns]


def _counts(engine: Engine, column: Bucketized, whole: str) -> tuple[IntArray, IntArray]:
    """Count a column's values; return the withheld codes in order with their entries."""
    engine.drop(f"withheld_{column.index}")
    index = column.index
    into = f"withheld_{index}"
    engine.run(
        "methods/local/buckets/counted", table="local_rows", index=index, of=index, into=into
    )
    return counts(engine, column, whole)


def counts(engine: Engine, column: Bucketized, whole: str) -> tuple[IntArray, IntArray]:
    """Return the values of withheld_<index> in their order: codes, and the number of entries of
    each. Make values_<index>: of all values of the column where its model needs them."""
    if column.model is not None:
        code_whole(engine, column.coded, whole)
    else:
        code_values(engine, column.coded, f"withheld_{column.index}")
    none = np.zeros(0, np.int64)
    codes, numbers = engine.numbers("methods/local/buckets/counts", a=column.coded) or (none, none)
    return codes, numbers


def code_whole(engine: Engine, coded: Coded, whole: str) -> None:
    """Make values_<index> of all values of a column: s<index> of the table ``whole``."""
    engine.drop(f"whole_{coded.index}")
    into = f"whole_{coded.index}"
    engine.run("methods/local/buckets/counted", table=whole, index=coded.index, of=0, into=into)
    code_values(engine, coded, f"whole_{coded.index}")


def code_values(engine: Engine, coded: Coded, counted: str) -> None:
    """Make values_<index> of a column from its ``counted`` values."""
    name = f"values_{coded.index}"
    engine.drop(name)
    engine.run("sql/table", name=name, select="privacy/values", a=coded, counted=counted)


def unfit(
    engine: Engine, column: Bucketized, codes: IntArray, counts: IntArray, *, show_values: bool
) -> Problem | None:
    """Return a problem if l is too great for a column, t too small, or its values too near each
    other; else None. ``codes`` and ``counts`` are from :func:`counts`."""
    name, total = column.coded.name, int(counts.sum())
    if total < column.smallest and column.least is None:
        text = (
            f"only {total:,} cells of {name!r} are sensitive, and a bucket needs at least"
            f" {column.rows:,}."
        )
        remedy = "Lower method.min_bucket, or make the column sensitive for everyone."
        return Problem("method.min_bucket", text, remedy)
    if column.model is not None and column.least is None:
        if not _broken(engine, column, codes, {1: bucket_plans.even_contents(counts, 1)}):
            return None
        text = (
            f"all sensitive cells of {name!r} together differ from the whole column by more than"
            f" t={column.model.bound}."
        )
        remedy = "Raise t, or promise `l_diversity` of it instead."
        return Problem(f"privacy.t_closeness.{name}", text, remedy)
    if column.least is None or int(counts.max()) * column.least <= total:
        return None if column.apart is None else _too_near(engine, column, counts)
    code_values(engine, column.coded, f"withheld_{column.index}")
    instead = f"promise `t_closeness` of {name!r} instead"
    return anatomy.unfit(
        engine,
        column.coded,
        column.least,
        show_values=show_values,
        among="withheld cells",
        instead=instead,
    )


def _too_near(engine: Engine, column: Bucketized, counts: IntArray) -> Problem | None:
    least, model = column.least or 1, column.model
    if model is None or bucket_plans.most_buckets(
        counts, least, _separation(engine, column, model)
    ):
        return None

    def fails(share: int) -> bool:
        """Return whether ``share`` twentieths of the promised bound cannot be kept either."""
        lower = replace(model, bound=model.bound * share / 20)
        return not bucket_plans.most_buckets(counts, least, _separation(engine, column, lower))

    feasible = bisect_left(range(1, 20), True, key=fails)
    text = (
        f"the sensitive values of {column.coded.name!r} are too close together for buckets that"
        f" span {model.bound:f}"
    )
    text += " of the column's range." if model.kind == "range" else "."
    lower = (
        f"Lower it to {(model.bound * feasible / 20).normalize():f}" if feasible else "Leave it out"
    )
    where = f"privacy.l_diversity.{column.coded.name}.min_{model.kind}"
    return Problem(where, text, f"{lower}, or lower l.")


def _separation(engine: Engine, column: Bucketized, model: Term) -> Separation:
    bound = model.bound * (1 - column.promise.tolerance / 2)
    known, beyond = engine.numbers(
        "methods/local/buckets/beyond", a=column.coded, model=model, bound=bound
    )
    return Separation(beyond, known == 1)


def _plan(engine: Engine, column: Bucketized, codes: IntArray, counts: IntArray) -> BucketPlan:
    if column.least is not None:
        separation = None if column.apart is None else _separation(engine, column, column.apart)
        return bucket_plans.diverse(counts, column.least, separation)
    total = int(counts.sum())
    return bucket_plans.even(counts, total // _least_size(engine, column, codes, counts))


def _keep(engine: Engine, index: int, codes: IntArray, plan: BucketPlan) -> None:
    position = np.arange(len(codes), dtype=np.int64)
    columns = {
        "code": codes,
        "place": position,
        "start": plan.start,
        "buckets": plan.buckets,
        "first": plan.first,
    }
    engine.load_numbers(f"plan_{index}", columns)


def _least_size(engine: Engine, column: Bucketized, codes: IntArray, counts: IntArray) -> int:
    """Return the least size found with which every bucket keeps the model: by doubling, then by
    narrowing down. (A larger size mostly keeps the model too, but not always, so sizes in between
    that were not tried may.)

    A single bucket of all entries is known to keep it, and to have ``column.rows`` rows.
    """
    most = total = int(counts.sum())
    rows = column.smallest
    doubled = [rows << power for power in range(total.bit_length()) if rows << power < most]
    least, most = _first_kept(engine, column, codes, counts, [rows - 1, *doubled, most])
    while most - least > 1:
        step = -(-(most - least) // (_TRIED + 1))
        least, most = _first_kept(engine, column, codes, counts, [*range(least, most, step), most])
    return most


def _first_kept(
    engine: Engine, column: Bucketized, codes: IntArray, counts: IntArray, sizes: Sequence[int]
) -> tuple[int, int]:
    """Return the first of ascending ``sizes`` with which every bucket keeps the model, and the size
    before it; the first size is known not to, the last is known to. One statement judges several
    sizes, as long as that is not too much."""
    total = int(counts.sum())
    width = len(counts) if column.promise.of_kind("ordered") else 1
    at = 1
    while at < len(sizes) - 1:
        batch: dict[int, tuple[IntArray, IntArray, IntArray]] = {}
        weight, upto = 0, at
        while upto < len(sizes) - 1 and (not batch or weight < _JUDGED):
            buckets = total // sizes[upto]
            upto += 1
            if (
                bucket_plans.most_kinds(counts, buckets)
                * max(width, min(len(counts), total // buckets))
                > _TOO_MANY
            ):
                continue
            batch[buckets] = bucket_plans.even_contents(counts, buckets)
            weight += len(batch[buckets][0]) + width * bucket_plans.most_kinds(counts, buckets)
        broken = _broken(engine, column, codes, batch)
        for number in range(at, upto):
            if (buckets := total // sizes[number]) in batch and buckets not in broken:
                return sizes[number - 1], sizes[number]
        at = upto
    return sizes[-2], sizes[-1]


def counted_values(index: int) -> dict[str, str]:
    """Return what of the dealt rows is counted in the table of a column's buckets."""
    return {
        "dealt": "bucketed",
        "bucket": f"b{index}",
        "value": f"s{index}",
        "withheld": f"w{index}",
    }


def _broken(
    engine: Engine,
    column: Bucketized,
    codes: IntArray,
    batch: dict[int, tuple[IntArray, IntArray, IntArray]],
) -> set[int]:
    """Return the numbers of buckets in ``batch`` (with contents) that break the model."""
    if not batch:
        return set()
    index = column.index
    columns = {
        "buckets": np.repeat(
            np.array(list(batch), np.int64), [len(bucket) for bucket, _, _ in batch.values()]
        ),
        "bucket": np.concatenate([bucket for bucket, _, _ in batch.values()]),
        f"x{index}": codes[np.concatenate([value for _, value, _ in batch.values()])],
        "n": np.concatenate([amount for _, _, amount in batch.values()]),
    }
    engine.load_numbers(f"dealt_{index}", columns)
    return {
        row[0]
        for row in engine.query(
            "methods/local/buckets/broken",
            table=f"dealt_{index}",
            keys=["buckets", "bucket"],
            promise=column.promise,
        )
    }
