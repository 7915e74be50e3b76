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
from anonsql.methods.full_domain import choose, suppressed
from anonsql.methods.full_domain.settings import AttributeSuppression, FullDomain, Leveled
from anonsql.privacy.promise import Promise
from anonsql.release import staging
from anonsql.release.recoding import ByLevels, Recoding
from anonsql.search.measure import Measured
from anonsql.search.roll_up import RollUps
from anonsql.verification import source as against_source

CLASSES = "chosen_classes"
"""The scratch table of the classes of the chosen generalization, with whether each keeps the
promise."""
Settings = TypeVar("Settings", bound=Leveled)


class LeveledMethod(Method[Settings]):
    """One level for all values of a column: those of the satisfying node that loses least, of the
    node that the policy names, or of a published scheme."""

    def problems(self, attributes: Sequence[Attribute]) -> list[Problem]:
        """See :class:`Method`."""
        return choose.level_problems(self.parameters.levels or {}, attributes)

    def recode(self, work: Work) -> Recoded:
        """See :class:`Method`."""
        node, nodes, promise = self._node(work)
        nodes.roll_ups.close()
        sets = nodes.sets
        engine, attributes = sets.engine, work.star.attributes
        frequencies = suppressed.frequency_set(engine, attributes, sets.promise, node.levels)
        suppressed.judge(engine, attributes, sets.promise, frequencies, CLASSES)
        figures = dict[str, float]()
        if work.star.rows:  # a sample may have none
            gcp = metrics.gcp(engine, work.star, CLASSES, node)
            figures = measured(metrics.of_node(work.star, node, sets.k, gcp))
        work.bench.give_back(CLASSES)
        return Recoded(
            ByLevels(node.levels, CLASSES),
            node.sizes.classes,
            node.sizes.min_class,
            node.sizes.suppressed,
            figures,
            maskable=work.policy.release.suppressed == "mask"
            and suppressed.maskable(
                engine,
                sets.promise,
                attributes,
                node,
                frequencies=frequencies,
                classes=CLASSES,
            ),
            promise=promise,
            frequencies=frequencies,
            node=node,
        )

    def _node(self, work: Work) -> tuple[Measured, SearchedLattice, Promise]:
        """Return the node to publish, the lattice, and the promise that all columns together keep:
        none where several combinations of columns keep the promise each by itself."""
        nodes = work.nodes
        if work.policy.privacy.differential is not None:
            # whatever they lead to: a run that failed by its rows would tell of them
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
        """See :class:`Method`."""
        staging.stage_levels(engine, target, source, recoding, by_of(recoding, ByLevels))

    def differences(
        self,
        engine: Engine,
        tables: Mapping[Part, Relation],
        source: Relation,
        population: Relation,
        recoding: Recoding,
    ) -> list[str]:
        """See :class:`Method`."""
        arguments, by = (source, population), by_of(recoding, ByLevels)
        return against_source.of_levels(engine, tables["rows"], arguments, recoding, by)


class FullDomainMethod(LeveledMethod[FullDomain]):
    """Full-domain generalization by the hierarchies of the policy."""

    settings = FullDomain


class AttributeSuppressionMethod(LeveledMethod[AttributeSuppression]):
    """Attribute suppression: every column as it is or as ``*``."""

    settings = AttributeSuppression


METHODS = (FullDomainMethod, AttributeSuppressionMethod)
