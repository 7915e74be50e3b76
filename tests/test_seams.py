"""Verification recomputes: it shares no statement and no helper with what it proves, and finds the
faults that are planted there."""

import ast
import re

import pytest
from jinja2 import ChoiceLoader, DictLoader, nodes

import anonsql
from anonsql.errors import VerificationError
from anonsql.policy.policy import Policy
from anonsql.privacy.registry import MODELS
from anonsql.sql import templates

from .support import make_table, policy_data, rows_of, template_names, template_source
from .test_layers import MODULES, graph, room

WRITERS = (
    *("methods", "search", "release", "star", "statistics", "relational", "over_time", "risks"),
    "completion",
)
"""The rooms that make releases of all kinds, and count what these state of themselves."""
BELOW = ("engines", "hierarchies", "sql", "policy", "system", "errors", "masking", "version")
"""What all rooms stand on: it holds nothing that decides what a release is."""

SHARED = {
    # what is claimed, not how it was made
    "anonsql.release.columns": "what the columns of a release are called and of what kind they are",
    "anonsql.release.recoding": "which recoding is to be proved: the claim, not how it was made",
    "anonsql.star.bucket_promises": "what the policy promises of buckets",
    "anonsql.star.coded": "which columns the policy makes promises of, and their kind",
    "anonsql.star.lattice": "the type of a level by attribute",
    "anonsql.statistics.cells": "the type of cells as arrays, which an audit is asked about",
    "anonsql.statistics.cubes": "the measures and levels of the policy",
    "anonsql.statistics.relations": "sums of parts as a matrix",
    "anonsql.statistics.noise.budget": "how the policy splits its budget, and the least count",
    "anonsql.statistics.noise.stating": "how a release states its plan of noise",
    "anonsql.statistics.rounding": "the texts by which a release says how values were rounded",
    # definitions, which the prover holds against the policy or applies to what it counted itself
    "anonsql.statistics.perturbation": "the table of noise, held against the policy's variance",
    "anonsql.statistics.keys": "the keys of people, by the secret of the catalog",
    "anonsql.over_time.ledger": "how the secret comes to an engine",
    "anonsql.statistics.joined": "which tables tie others, from labels that each counts by itself",
    "anonsql.statistics.earlier": "earlier releases by the cells of the present one",
    "anonsql.statistics.rules": "how many people the sums of earlier releases show, if not stored",
    "star/value": "how a value enters a statement; lint proves dimension tables by it",
    "star/text": "how a value is written, as value",
    "hierarchies/grouped": "dimension tables, which lint proves",
    "hierarchies/leaves": "dimension tables, which lint proves",
    "sql/table": "a name for a SELECT; which one is given",
    "risks/kept/distinct": "how values are counted once, of a source or a release",
    # the audit: other tables, each of which is checked in whole numbers against what was counted anew
    "anonsql.statistics.audits": "the audit, which looks for other tables and checks each exactly",
    "anonsql.statistics.suppression.boxes": "the audit: which cells a program is made of",
    "anonsql.statistics.suppression.programs": "the audit: linear programs",
    "anonsql.statistics.suppression.search": "the audit: the search for other tables",
    "anonsql.statistics.suppression.system": "the audit: what an attacker knows, as constraints",
    "anonsql.statistics.suppression.witnesses": "the audit: other tables, checked in whole numbers",
    # what is counted of released rows alone, by the run when it states it and by the proof again
    "anonsql.risks.kept.": "what kept columns give away; limits to it have a statement of their own",
    "anonsql.risks.linked": "what surrogates link",
    "anonsql.risks.left_out": "the groups and losses that the facts of kept columns name",
    "anonsql.risks.people": "the facts of people, which the proof counts by a statement of its own",
    "anonsql.risks.limits": "risks of class sizes, which the proof counts by a statement of its own",
    "anonsql.risks.population": "estimates from class sizes",
    # completed tables: a function of the release, each value of which the proof holds to its label
    "anonsql.completion.": "the draws: the proof repeats them, or holds a run's against the released rows",
}
"""All that provers may share with those who write, each with its reason: modules with their own
statements, packages (with a dot at the end), and templates."""

NAMES = {name.removesuffix(".sql") for name in template_names()}


def is_prover(module):
    """Whether a module proves releases: of verification, or a method's proof."""
    return room(module) == "verification" or (
        room(module) == "methods" and module.endswith(".proof")
    )


def shared(name):
    """The entry of :data:`SHARED` that a module or template goes by; None where it is not shared."""
    return next((e for e in SHARED if name == e or (e[-1] == "." and name.startswith(e))), None)


def reached(graph):
    """What provers import, and what that imports, down to what all rooms stand on."""
    found, left = set(), [module for module in graph if is_prover(module)]
    while left:
        module = left.pop()
        if module not in found and room(module) not in BELOW:
            found.add(module)
            left += graph.get(module, ())
    return found


def borrowed(graph):
    """Modules of those who write releases that a prover needs."""
    return sorted(
        module
        for module in reached(graph)
        if room(module) in WRITERS and not is_prover(module) and shared(module) is None
    )


def named_in(module):
    """The templates that a module's code names."""
    tree = ast.parse(MODULES[module].read_text())
    words = {item.value for item in ast.walk(tree) if isinstance(item, ast.Constant)}
    return {word for word in words if isinstance(word, str)} & NAMES


def included_by(text):
    """The templates that another includes, imports or extends: by name or by a filter, or, of the
    criteria of privacy models, all that it may include (``model.kept``, ``model.offence``)."""
    kinds = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    tree = templates.environment().parse(text)
    included = [item.template for item in tree.find_all(kinds)]
    criteria = {entry.attr for entry in included if isinstance(entry, nodes.Getattr)}
    assert criteria <= {"kept", "offence"}
    named = {
        element.value.removesuffix(".sql")
        for element in included
        if isinstance(element, nodes.Const)
    }
    named |= {each.value for each in tree.find_all(nodes.Const) if each.value in NAMES}
    named |= {f"star/{each.name}" for each in tree.find_all(nodes.Filter)} & NAMES
    if any("@(" in str(each.value) for each in tree.find_all(nodes.Const)):
        named.add("star/value")
    return named | {each for word in criteria for each in NAMES if each.endswith(f"_{word}")}


def with_included(names):
    """Templates with all that they include."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += included_by(template_source(f"{name}.sql"))
    return found


def of_provers():
    """The templates that provers render, with all that these include."""
    return with_included({name for module in reached(graph()) for name in named_in(module)})


def of_writers():
    """The templates that those who write render, with all that these include; what they share with
    provers has its reason above."""
    writers = [name for name in MODULES if room(name) in WRITERS and not is_prover(name)]
    writers = [name for name in writers if shared(name) is None]
    return with_included({name for module in writers for name in named_in(module)})


def test_provers_import_nothing_of_those_who_write():
    assert borrowed(graph()) == []
    modules = {entry for entry in SHARED if entry.startswith("anonsql.")}
    assert modules == {shared(name) for name in reached(graph())} - {None}, "a reason without a use"


def test_provers_and_writers_share_no_statement():
    provers, writers = of_provers(), of_writers()
    assert len(provers) > 60 and len(writers) > 150  # the walk arrives
    assert sorted(name for name in provers & writers if shared(name) is None) == []
    templates = {entry for entry in SHARED if not entry.startswith("anonsql.")}
    assert templates == {shared(name) for name in provers} - {None}, "a reason without a use"


def test_criteria_are_judged_by_statements_of_their_own():
    criteria = [item for model in MODELS for item in model.criteria]
    kept = {f"privacy/{entry.model}/{entry.name}_kept" for entry in criteria}
    offences = {f"privacy/{element.model}/{element.name}_offence" for element in criteria}
    assert kept <= of_writers() - of_provers() and offences <= of_provers() - of_writers()
    own = tuple(f"privacy/{each.name}/" for each in MODELS)
    others = {each for each in NAMES if each.startswith(own)} - kept - offences
    assert {other.rsplit("_", 1)[1] for other in others} == {"nearest"}


def test_folders_of_provers_include_nothing_of_writers():
    """Templates that no code names directly are held to it too."""
    own = {item for item in NAMES if item.startswith("verification/")}
    assert len(own) > 60
    assert sorted(n for n in with_included(own) & of_writers() if shared(n) is None) == []


def test_writers_do_not_read_labels():
    """The grammar of labels is for those who read releases; what writes them goes by templates."""
    readers = {module for module, others in graph().items() if "anonsql.grammar.labels" in others}
    assert any(map(is_prover, readers))
    writers = [name for name in readers if room(name) in WRITERS and not is_prover(name)]
    assert [name for name in writers if room(name) != "completion"] == []  # which reads a release


def test_a_borrowed_module_is_seen():
    planted = graph() | {"anonsql.verification.columns": {"anonsql.methods.groups"}}
    assert "anonsql.methods.groups" in borrowed(planted)
    planted = graph() | {"anonsql.risks.people": {"anonsql.search.frequency"}}
    assert "anonsql.search.frequency" in borrowed(planted)
    for prover, writer in (
        ("anonsql.verification.relational.known", "anonsql.relational.census"),
        ("anonsql.verification.statistics.exposure", "anonsql.statistics.protection"),
        ("anonsql.verification.traces", "anonsql.over_time.traces"),
    ):
        assert writer in MODULES and writer in borrowed(graph() | {prover: {writer}})


def test_a_borrowed_statement_is_seen():
    assert included_by("{% if x %}{% include 'release/coded.sql' %}{% endif %}") <= of_writers()
    assert included_by("{% from 'methods/cells/macros.sql' import code %}") <= of_writers()
    assert included_by("{{ a | value('s') }}") == included_by("{{ b | each('@(s)') }}")


# planted faults

ROWS = [(3 * n, "x" if n % 4 < 2 else "y", n, "abc"[n % 3]) for n in range(12)]
COLUMNS = {
    "a": {"type": "interval", "widths": [6, 12, 36], "origin": 0},
    "b": {"type": "suppression"},
    "id": "insensitive",
    "d": "sensitive",
}
SWAPPED = "CASE {0} WHEN {1} THEN {2} WHEN {2} THEN {1} ELSE {0} END AS {0}"
IDS = SWAPPED.format("id", 0, 11)
FAULTS = (
    ("release/coded", "mondrian", SWAPPED.format("c1", 1, 12)),
    ("release/coded", "mondrian", SWAPPED.format("r5", 0, 11)),
    ("release/coded", "hilbert", SWAPPED.format("c1", 1, 12)),
    ("release/coded", "ring", SWAPPED.format("c1", 1, 12)),
    ("release/coded", "ring", SWAPPED.format("x3", 1, 2)),
    ("release/placed", "hilbert", SWAPPED.format("c1", 1, 12)),
    ("release/placed", "hilbert", SWAPPED.format("x3", 1, 2)),
    ("release/placed", "ring", "place + 1 AS place"),
    ("release/rows", "full-domain", IDS),
    ("release/rows", "full-domain", "CASE id WHEN 0 THEN '[6,12)' ELSE a END AS a"),
    ("release/groups", "mondrian", IDS),
    ("release/groups", "ring", IDS),
    ("release/separated", "anatomy", IDS),
    ("release/sensitive", "anatomy", SWAPPED.format("d", "'a'", "'b'")),
    ("release/bucketed", "local", IDS),
    ("release/sensitive", "local", SWAPPED.format("d", "'a'", "'b'")),
)
"""A template of those who write, a method that renders it, and columns of its rows that are
replaced by others."""
OWN = {
    "release/coded": "c1",
    "release/placed": "c1",
    "release/sensitive": "d",
}
"""A column of templates whose rows have no ``id``."""
_CREATED = re.compile(r"(?s:\A.*CREATE TABLE placed AS)?")


def planted(monkeypatch, name, columns):
    """Put a statement in the place of a template's that replaces columns of its rows."""
    original = template_source(f"{name}.sql")
    created = _CREATED.match(original)
    head, select = original[: created.end()], original[created.end() :]
    fault = f"SELECT * REPLACE ({columns}) FROM ({{% include 'planted/select.sql' %}}) AS planted"
    texts = {f"{name}.sql": f"{head}\n{fault}", "planted/select.sql": select}
    made = templates.environment()
    monkeypatch.setattr(made, "loader", ChoiceLoader([DictLoader(texts), made.loader]))
    monkeypatch.setattr(made, "cache", None)


def policy_of(folder, method):
    """A policy over a small table; what is kept tells every row from the others."""
    kinds = {"a": "INTEGER", "b": "VARCHAR", "id": "INTEGER", "d": "VARCHAR"}
    make_table(folder / "source.duckdb", kinds, ROWS)
    data = policy_data(COLUMNS, k=2 if method in ("anatomy", "local") else 3)
    data["method"] = {"type": method}
    data["privacy"]["l_diversity"] = {"d": 2}
    return Policy.parse(data, folder)


@pytest.mark.parametrize(("template", "method", "columns"), FAULTS)
def test_a_fault_of_a_writer_is_found_and_nothing_published(
    tmp_path, monkeypatch, template, method, columns
):
    policy = policy_of(tmp_path, method)
    with monkeypatch.context() as patch:
        planted(patch, template, columns)
        with pytest.raises(VerificationError):
            anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.parametrize("method", sorted({method for _, method, _ in FAULTS}))
def test_without_a_fault_they_are_published(tmp_path, monkeypatch, method):
    policy = policy_of(tmp_path, method)
    for template in {name for name, by, _ in FAULTS if by == method}:
        with monkeypatch.context() as patch:
            own = OWN.get(template, "id")
            planted(patch, template, f"{own} AS {own}")
            anonsql.run(policy)
    assert len(rows_of(tmp_path / "release.duckdb", "SELECT * FROM r")) == len(ROWS)


def test_a_folder_of_templates_is_named_as_the_package_or_module_that_owns_it():
    owners = {name.removeprefix("anonsql.").replace(".", "/") for name in MODULES}
    assert {item.rsplit("/", 1)[0] for item in NAMES} - owners == set()
