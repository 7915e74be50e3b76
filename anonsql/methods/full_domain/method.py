"""Full-domain generalization as a method, with attribute suppression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from anonsql.engines.base import Engine, Part, Relation
from anonsql.engines.target import Target
from anonsql.errors import InvariantError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.measures import full_domain as metrics
from anonsql.measures.registry import measured
from anonsql.methods.base import Method, Recoded, SearchedLattice, Work, by_of
from anonsql.methods.full_domain import choose
from anonsql.methods.full_domain.settings import AttributeSuppression, FullDomain, Leveled
from anonsql.privacy.promise import Promise
from anonsql.release import staging
from anonsql.release.recoding import ByLevels, Recoding
from anonsql.search.frequency import FrequencySets
from anonsql.search.roll_up import Measured, RollUps
from anonsql.verification import source as against_source

_FREQUENCIES = "chosen_frequencies"
CLASSES = "chosen_classes"
"""The scratch table of the classes of the chosen generalization, with whether each keeps the
promise."""
Settings = TypeVar("Settings", bound=Leveled)


class LeveledMethod(Method[Settings]):
    """One level for all values of a column: those of the satisfying node that loses least, of the
    node that the policy names, or of a published scheme."""

    def problems(self, attributes: Sequence[Attribute]) -> list[Problem]:
        return choose.level_problems(self.parameters.levels or {}, attributes)

    def recode(self, work: Work) -> Recoded:
        node, nodes, promise = self._node(work)
        nodes.roll_ups.close()
        sets, figures = nodes.sets, dict[str, float]()
        _judge(sets, node)
        if work.star.rows:  # a sample may have none
            gcp = metrics.gcp(sets.engine, work.star, CLASSES, node)
            figures = measured(metrics.of_node(work.star, node, sets.promise.k, gcp))
        work.bench.give_back(CLASSES)
        return Recoded(
            ByLevels(node.levels, CLASSES),
            node.sizes.classes,
            node.sizes.min_class,
            node.sizes.suppressed,
            figures,
            maskable=work.policy.release.suppressed == "mask" and _maskable(sets, node),
            promise=promise,
            frequencies=_FREQUENCIES,
            node=node,
        )

    def _node(self, work: Work) -> tuple[Measured, SearchedLattice, Promise]:
        """Return the node to publish, the lattice, and the promise that all columns together keep:
        none where several combinations of columns keep the promise each by itself."""
        nodes = work.nodes
        if work.policy.privacy.differential is not None:
            # whatever they lead to: a run that failed because of its rows would reveal them
            levels = work.levels or self.parameters.levels or {}
            promise = replace(work.promise, population=False)
            return choose.named(nodes.sets, levels), nodes, promise
        if work.levels is not None:
            return choose.at_levels(work.policy, nodes.sets, work.levels), nodes, work.promise
        if self.parameters.levels is None:
            if nodes.found is None:
                raise InvariantError("no generalization was searched for")
            node = choose.choose(work.policy, nodes.sets, nodes.roll_ups, nodes.found)
            return node, nodes, work.promise
        choose.require_satisfying(
            work.policy, nodes.sets, self.parameters.levels, work.combinations
        )
        promise = work.promise
        if work.policy.privacy.several:
            nodes.roll_ups.close()
            promise = promise.trivial()
            sets = nodes.sets.under(promise)
            nodes = SearchedLattice(sets, RollUps(sets))
        return choose.named(nodes.sets, self.parameters.levels), nodes, promise

    def stage(self, engine: Engine, target: Target, source: Relation, recoding: Recoding) -> None:
        staging.stage_levels(engine, target, source, recoding, by_of(recoding, ByLevels))

    def differences(
        self,
        engine: Engine,
        tables: Mapping[Part, Relation],
        source: Relation,
        population: Relation,
        recoding: Recoding,
    ) -> list[str]:
        arguments, by = (source, population), by_of(recoding, ByLevels)
        return against_source.of_levels(engine, tables["rows"], arguments, recoding, by)


class FullDomainMethod(LeveledMethod[FullDomain]):
    """Full-domain generalization by the hierarchies of the policy."""

    settings = FullDomain


class AttributeSuppressionMethod(LeveledMethod[AttributeSuppression]):
    """Attribute suppression: every column as it is or as ``*``."""

    settings = AttributeSuppression


def _judge(sets: FrequencySets, node: Measured) -> None:
    """Make two tables: the frequency set of a node (codes c1 … cn, extra codes, and weights), and
    its classes by these codes, with n rows and ok, whether they keep the promise."""
    shared = {"attributes": sets.star.attributes, "promise": sets.promise}
    sets.engine.run("methods/full_domain/chosen", table=_FREQUENCIES, levels=node.levels, **shared)
    sets.engine.run(
        "sql/table",
        name=CLASSES,
        select="privacy/classes",
        table=_FREQUENCIES,
        keys=[f"c{attribute.index}" for attribute in sets.star.attributes],
        promise=sets.promise,
    )


def _maskable(sets: FrequencySets, node: Measured) -> bool:
    """Return whether a node's suppressed rows, masked, are a class of their own that is kept."""
    if not node.sizes.suppressed:
        return False
    attributes = {"attributes": sets.star.attributes}
    starred = {"classes": CLASSES, "levels": node.levels, **attributes}
    if sets.engine.query("release/starred", **starred)[0][0]:
        return False
    masked = {"frequencies": _FREQUENCIES, "kept": CLASSES, "judged": True, **attributes}
    return bool(sets.engine.query("release/masked", promise=sets.promise, **masked)[0][0])


METHODS = (FullDomainMethod, AttributeSuppressionMethod)
