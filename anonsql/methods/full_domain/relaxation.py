"""Advice where a promise cannot be kept: the nearest values of its parameters that could be, each
tried before it is named."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial

from anonsql.methods.full_domain.settings import FullDomain
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy import suppression_limit
from anonsql.privacy.promise import Promise, places
from anonsql.risks import weak_promises
from anonsql.search.frequency import FrequencySets, Request
from anonsql.star.lattice import Levels


def advice(policy: TablePlan, sets: FrequencySets, levels: Levels, suppressed: int) -> str:
    """Return what would make a node satisfy: ways that are each enough by itself."""
    ways = [
        *_attributes(policy, sets, levels),
        *_limit(sets, suppressed),
        *_least_presence(policy, sets, levels),
        *_parameters(policy, sets, levels),
    ]
    text = ", or ".join(ways) or "relax more than one of the parameters of privacy"
    return f"{text[0].upper()}{text[1:]}."


def _suppressed(sets: FrequencySets, promise: Promise, levels: Levels) -> int:
    return sets.under(promise).sizes([Request(1, levels)], [])[1].suppressed


def _attributes(policy: TablePlan, sets: FrequencySets, levels: Levels) -> Iterator[str]:
    """Yield each capped column whose raise alone is enough, else all together if that is enough."""
    limit = policy.privacy.max_suppressed(sets.star.rows)
    named = (
        isinstance(policy.method, FullDomain) and policy.method.levels is not None
    )  # `anonsql search` shows further ways
    capped = [
        attribute
        for attribute in sets.star.attributes
        if levels.get(attribute.index, attribute.height) < attribute.height and not named
    ]
    for chosen in [*([attribute] for attribute in capped), *([capped] if len(capped) > 1 else [])]:
        left = {
            index: level
            for index, level in levels.items()
            if index not in {attribute.index for attribute in chosen}
        }
        if _suppressed(sets, sets.promise, left) <= limit:
            yield (
                f"raise max_level of {' and '.join(column.name for column in chosen)} to the top,"
                " or leave it out"
            )
            return


def _least_presence(policy: TablePlan, sets: FrequencySets, levels: Levels) -> Iterator[str]:
    if sets.promise.of_everybody:
        models = [
            replace(model, other=Decimal(0)) if model.of_everybody else model
            for model in sets.promise.models
        ]
        promise = replace(sets.promise, models=tuple(models))
        without = policy.privacy.model_copy(update={"delta_presence": None})
        limit = without.max_suppressed(sets.star.rows)
        if _suppressed(sets, promise, levels) <= limit:
            yield "set privacy.delta_presence.min to 0"


def _limit(sets: FrequencySets, suppressed: int) -> Iterator[str]:
    """Yield the suppression limit that is enough, if any; none with a least presence."""
    if sets.promise.of_everybody:
        return
    enough = suppression_limit.least_limit(suppressed, sets.star.rows)
    if enough is not None:
        yield f"set privacy.suppression_limit to {enough:f}"


def _parameters(policy: TablePlan, sets: FrequencySets, levels: Levels) -> Iterator[str]:
    promise, limit = sets.promise, policy.privacy.max_suppressed(sets.star.rows)

    def least_step(most: int, relaxed: Callable[[int], Promise]) -> int:
        if most < 1 or _suppressed(sets, relaxed(most), levels) > limit:
            return 0
        return (
            bisect_left(
                range(1, most),
                True,
                key=lambda steps: _suppressed(sets, relaxed(steps), levels) <= limit,
            )
            + 1
        )

    steps = least_step(
        promise.k - (1 if promise.models else 2),
        lambda steps: replace(promise, k=promise.k - steps),
    )
    if steps:
        yield f"lower privacy.k to {promise.k - steps}"
    distances = {
        f"privacy.{model}.{name}.{settings.main}": settings.nearest
        for model, name, settings in policy.privacy.by_column()
    }
    for number, where in enumerate(places(policy.privacy)):
        model = promise.models[number]
        step, loosest = model.relaxation
        if nearest := distances.get(where):
            of_rows = replace(promise, people=0)
            singles = weak_promises.single_values(sets.engine, of_rows, model, nearest)
            loosest = min(loosest, singles.greatest) if singles.values > 1 else loosest
        steps = least_step(int((loosest - model.bound) / step), partial(_relaxed, promise, number))
        if steps:
            yield (
                f"{'lower' if step < 0 else 'raise'} {where} to"
                f" {(model.bound + steps * step).normalize():f}"
            )


def _relaxed(promise: Promise, number: int, steps: int) -> Promise:
    model = promise.models[number]
    looser = replace(model, bound=model.bound + steps * model.relaxation[0])
    return replace(
        promise, models=(*promise.models[:number], looser, *promise.models[number + 1 :])
    )
