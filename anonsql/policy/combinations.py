"""What in a policy of one table does not go together, and why: one table, which messages quote, and
which the manual repeats (guide/combinations.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from anonsql.errors import FieldError, FieldsError
from anonsql.policy.hierarchy import AutomaticHierarchy

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy
    from anonsql.policy.privacy import Privacy
    from anonsql.policy.table_plan import TablePlan
    from anonsql.privacy.differential import Differential

Part = TypeVar("Part")


@dataclass(frozen=True)
class Exclusion(Generic[Part]):
    """Two options that exclude each other: their names, the reason, the remedy, and the fields of a
    part of a policy that has both."""

    option: str
    other: str
    why: str
    remedy: str
    fields: Callable[[Part], Iterable[str]]


def require_none(exclusions: Iterable[Exclusion[Part]], part: Part) -> None:
    """Raise FieldsError with all options of a part of a policy that exclude each other."""
    found = [
        FieldError(field, f"{exclusion.why}: {exclusion.remedy}")
        for exclusion in exclusions
        for field in exclusion.fields(part)
    ]
    if found:
        raise FieldsError(found)


def _if(present: object, *fields: str) -> tuple[str, ...]:
    return fields if present else ()


def _columns(
    field: str, has: Callable[[TablePlan, str, ColumnPolicy], object]
) -> Callable[[TablePlan], Iterator[str]]:
    def fields(policy: TablePlan) -> Iterator[str]:
        return (
            f"columns.{name}.{field}"
            for name, column in policy.columns.items()
            if has(policy, name, column)
        )

    return fields


def _besides_differential(privacy: Privacy) -> list[str]:
    """Return the fields of a promise in addition to differential privacy and k."""
    if privacy.differential is None:
        return []
    asked = (field for model, field in privacy.models_asked() if model != "differential")
    return [field.removeprefix("privacy.") for field in asked]


def _drawn(policy: TablePlan) -> Differential | None:
    """Return the differential privacy of a policy whose method keeps it."""
    return policy.privacy.differential if "differential" in policy.method.keeps else None


def _set_at_random(policy: TablePlan) -> Iterator[str]:
    """Yield the settings by which a method chooses levels that are drawn at random."""
    fields = type(policy.method).model_fields
    for name in ("algorithm", "minimize", "roll_up"):
        if _drawn(policy) is not None:
            value: Any = getattr(policy.method, name)
            yield from _if(value != fields[name].default, f"method.{name}")


def _whole_classes(policy: TablePlan) -> bool:
    """Return whether rows with equal released values are a class of the source's own rows, so that
    any of them may have any of the values of the class."""
    method = policy.method
    return method.averages or (method.leveled and not method.changes_values)


_DIFFERENTIAL = "`privacy.differential`"
_SEVERAL = "several `privacy.quasi_identifiers`"
_POPULATION = "`k_map` and `delta_presence`"
_OVER_TIME = "`privacy.over_time`"

OF_PROMISES: tuple[Exclusion[Privacy], ...] = (
    Exclusion(
        "`privacy.suppression_limit`",
        _SEVERAL,
        "several quasi_identifiers allow no suppression",
        "set it to 0",
        lambda promise: _if(promise.several and promise.suppression_limit, "suppression_limit"),
    ),
    Exclusion(
        _SEVERAL,
        f"`privacy.entity`, {_POPULATION}",
        "several quasi_identifiers cannot be combined with entity, k_map or delta_presence",
        "give one combination",
        lambda promise: _if(
            promise.several and (promise.entity is not None or promise.population is not None),
            "quasi_identifiers",
        ),
    ),
    Exclusion(
        _OVER_TIME,
        f"{_SEVERAL}, {_POPULATION}",
        "over_time cannot be combined with several quasi_identifiers, k_map or delta_presence",
        "leave over_time out",
        lambda promise: _if(
            promise.over_time and (promise.several or promise.population is not None), "over_time"
        ),
    ),
    Exclusion(
        "`privacy.max_group_loss`",
        _OVER_TIME,
        "over_time holds rows back in addition to suppressed rows",
        "leave max_group_loss out",
        lambda promise: _if(
            promise.over_time and promise.max_group_loss is not None, "max_group_loss"
        ),
    ),
    Exclusion(
        "`privacy.risk`",
        f"{_SEVERAL}, `privacy.entity`, {_OVER_TIME}",
        "risk limits the classes of rows of a single release, so several quasi_identifiers,"
        " entity or over_time cannot be combined with it",
        "leave risk out",
        lambda promise: _if(
            promise.risk.limits
            and (promise.several or promise.entity is not None or promise.over_time),
            "risk",
        ),
    ),
    Exclusion(
        "`privacy.population`",
        f"a promise without {_POPULATION}",
        "nothing uses it",
        "ask for k_map or delta_presence, or leave it out",
        lambda promise: _if(
            promise.population is not None and not any(promise.of_population()), "population"
        ),
    ),
    Exclusion(
        _DIFFERENTIAL,
        "every other promise except `privacy.k`",
        "differential can be combined with k only",
        "leave this promise out",
        _besides_differential,
    ),
    Exclusion(
        "`privacy.suppression_limit`, `privacy.max_group_loss`",
        _DIFFERENTIAL,
        "differential may suppress any number of rows, and whether a limit is kept would reveal"
        " rows",
        "leave the limit out",
        lambda promise: (
            _if(promise.differential is not None and promise.suppression_limit, "suppression_limit")
            + _if(
                promise.differential is not None and promise.max_group_loss is not None,
                "max_group_loss",
            )
        ),
    ),
)
"""Options of ``privacy`` that exclude each other; fields are inside ``privacy``."""

OF_POLICIES: tuple[Exclusion[TablePlan], ...] = (
    Exclusion(
        _SEVERAL,
        "`method.algorithm`",
        "several quasi_identifiers need `algorithm: auto`",
        "leave algorithm out",
        lambda policy: _if(
            policy.privacy.several and getattr(policy.method, "algorithm", "auto") != "auto",
            "method.algorithm",
        ),
    ),
    Exclusion(
        "`columns.<name>.change`",
        _OVER_TIME,
        "releases over time cannot have changed values",
        "leave change out",
        _columns("change", lambda policy, _, column: policy.privacy.over_time and column.change),
    ),
    Exclusion(
        "`columns.<name>.change`",
        "semi-sensitive columns",
        "the conditions of semi-sensitive columns use the original values",
        "leave change out",
        _columns("change", lambda policy, _, column: column.change and policy.conditions),
    ),
    Exclusion(
        "`columns.<name>.change`",
        "`privacy.entity` of this column",
        "privacy.entity identifies people by the original values",
        "leave change out",
        _columns(
            "change", lambda policy, name, column: column.change and name == policy.privacy.entity
        ),
    ),
    Exclusion(
        "`columns.<name>.change.pram`",
        "a promise about this column",
        "the promise is about the column's values, and pram draws them at random",
        "leave out one of the two",
        _columns(
            "change.pram",
            lambda policy, name, column: (
                column.change and column.change.pram is not None and policy.privacy.about(name)
            ),
        ),
    ),
    Exclusion(
        "`columns.<name>.values`",
        _OVER_TIME,
        "in releases over time, two means of groups that differ in one row would reveal the value"
        " of this row",
        "leave values out",
        _columns("values", lambda policy, _, column: policy.privacy.over_time and column.values),
    ),
    Exclusion(
        "`columns.<name>.values`",
        "a method without groups of rows",
        "the method forms no groups of rows to average",
        "leave values out, or choose mondrian, hilbert, ordered-partition, cell-generalization,"
        " cell-suppression, full-subtree or full-subgraph",
        _columns("values", lambda policy, _, column: column.values and not policy.method.averages),
    ),
    Exclusion(
        "`privacy.over_time.key`",
        "`privacy.entity` of the same column",
        "over_time needs a column that identifies rows, and privacy.entity identifies people",
        "name a column that identifies the row",
        lambda policy: _if(
            policy.privacy.over_time and policy.privacy.over_time.key == policy.privacy.entity,
            "privacy.over_time.key",
        ),
    ),
    Exclusion(
        "`release.suppressed: mask`",
        _OVER_TIME,
        "in a release over time a masked row would be visible, so suppressed rows are left out",
        "leave suppressed out",
        lambda policy: _if(
            policy.privacy.over_time and policy.release.suppressed == "mask", "release.suppressed"
        ),
    ),
    Exclusion(
        "`release.suppressed: mask`",
        _DIFFERENTIAL,
        "masked rows show how many rows were suppressed, which privacy.differential keeps secret",
        "leave suppressed out",
        lambda policy: _if(
            policy.privacy.differential and policy.release.suppressed == "mask",
            "release.suppressed",
        ),
    ),
    Exclusion(
        "`method.algorithm`, `method.minimize`, `method.roll_up`",
        _DIFFERENTIAL,
        "privacy.differential draws levels at random, by their score alone",
        "leave it out",
        _set_at_random,
    ),
    Exclusion(
        "`release.marginals`",
        "a method whose rows form no classes",
        "frequencies of single values could reveal which row belongs to whom",
        "leave marginals out, or choose full-domain, mondrian, hilbert, ordered-partition,"
        " cell-generalization, cell-suppression, full-subtree or full-subgraph",
        lambda policy: _if(
            policy.release.marginals and not _whole_classes(policy),
            "release.marginals",
        ),
    ),
    Exclusion(
        "`release.marginals`",
        "`privacy.entity`",
        "the choice of published frequencies would reveal which people have a value",
        "leave out one of the two",
        lambda policy: _if(policy.release.marginals and policy.privacy.entity, "release.marginals"),
    ),
    Exclusion(
        "`release.marginals`",
        "`release.suppressed: mask`",
        "frequencies would reveal the values of masked rows",
        "leave out one of the two",
        lambda policy: _if(
            policy.release.marginals and policy.release.suppressed == "mask", "release.marginals"
        ),
    ),
    Exclusion(
        "`release.marginals`",
        f"{_SEVERAL}, {_POPULATION}, {_OVER_TIME}, {_DIFFERENTIAL}",
        "exact frequencies can break a promise of this policy",
        "leave marginals out",
        lambda policy: _if(
            policy.release.marginals
            and (
                policy.privacy.several
                or policy.privacy.population is not None
                or policy.privacy.over_time
                or policy.privacy.differential
            ),
            "release.marginals",
        ),
    ),
    Exclusion(
        "`release.marginals`",
        "`columns.<name>.min_level`",
        "frequencies show single values, and min_level forbids releasing them",
        "leave out one of the two",
        _columns(
            "min_level",
            lambda policy, _, column: policy.release.marginals and column.min_level,
        ),
    ),
    Exclusion(
        "`columns.<name>.replace: surrogate`",
        _DIFFERENTIAL,
        "equal surrogates would reveal which rows belong to one person",
        "leave replace out",
        _columns(
            "replace",
            lambda policy, _, column: policy.privacy.differential and column.replace == "surrogate",
        ),
    ),
    Exclusion(
        "columns that are neither identifying nor quasi-identifying",
        _DIFFERENTIAL,
        "with privacy.differential no value is released unchanged",
        "make it quasi-identifying, or make it identifying to remove it",
        _columns(
            "role",
            lambda policy, _, column: (
                policy.privacy.differential
                and column.role not in ("identifying", "quasi-identifying")
            ),
        ),
    ),
    Exclusion(
        "`columns.<name>.hierarchy: {type: automatic}`",
        _DIFFERENTIAL,
        "an automatic hierarchy is made from the data, which privacy.differential does not allow",
        "write the hierarchy from public knowledge",
        _columns(
            "hierarchy",
            lambda policy, _, column: (
                policy.privacy.differential and isinstance(column.hierarchy, AutomaticHierarchy)
            ),
        ),
    ),
    Exclusion(
        "`privacy.differential.search_epsilon`",
        "`method.levels`",
        "with method.levels nothing is spent on choosing levels",
        "leave search_epsilon out",
        lambda policy: _if(
            (drawn := _drawn(policy)) and drawn.searches and not policy.method.needs_search,
            "privacy.differential.search_epsilon",
        ),
    ),
    Exclusion(
        "`privacy.differential` without `search_epsilon`",
        "`method` without `levels`",
        "this field is missing",
        "set the part of epsilon that choosing levels may spend, or give method.levels",
        lambda policy: _if(
            (drawn := _drawn(policy)) and not drawn.searches and policy.method.needs_search,
            "privacy.differential.search_epsilon",
        ),
    ),
)
"""Options of different parts of a policy that exclude each other."""
