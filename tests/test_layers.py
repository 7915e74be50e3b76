"""The layers of the house: who may import whom, how many rooms stand at the root, and that methods
are asked, not named."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import anonsql
from anonsql.policy import methods
from anonsql.policy.databases import DATABASES

ROOT = Path(anonsql.__file__).parent
LAYERS = (
    "__main__",
    "cli",
    "schemas",
    "anonsql",
    "api",
    "features",
    "presentation",
    "jobs",
    "methods",
    "query",
    "attacks",
    "verification",
    "completion",
    "labels",
    "risks",
    "measures",
    "relational",
    "statistics",
    "release",
    "over_time",
    "search",
    "star",
    "hierarchies",
    "engines",
    "sql",
    "policy",
    "grammar",
    "privacy",
    "system",
    "errors",
    "masking",
    "version",
)
"""Every package and every module at the root, from the top down: each may import what stands below
it. ``anonsql`` is what ``import anonsql`` offers."""

EXCEPTIONS: dict[tuple[str, str], str] = {}
"""Modules that import one of a higher layer, and why: none."""


def modules():
    """Every module's name and file."""
    found = {}
    for path in ROOT.rglob("*.py"):
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


MODULES = modules()


def imports(name, text, known):
    """The modules of anonsql that a module's code imports, in functions too; what is only for type
    checkers aside."""
    tree = ast.parse(text)
    unseen = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for part in node.body
        for inner in ast.walk(part)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by a relative name"
            if node.module.split(".")[0] == "anonsql":
                whole = [f"{node.module}.{item.name}" for item in node.names]
                found |= {entry if entry in known else node.module for entry in whole}
        elif isinstance(node, ast.Import):
            found |= {
                element.name for element in node.names if element.name.split(".")[0] == "anonsql"
            }
    return found


@cache
def graph():
    """What every module imports."""
    return {name: imports(name, path.read_text(), MODULES) for name, path in MODULES.items()}


def room(module):
    """The package, or the module at the root, that a module is of."""
    return [*module.split("."), "anonsql"][1]


def upward(graph):
    """Imports of a higher layer."""
    return sorted(
        (one, other)
        for one, others in graph.items()
        for other in others
        if LAYERS.index(room(one)) > LAYERS.index(room(other))
    )


def test_every_room_has_its_layer():
    assert {room(name) for name in MODULES} == set(LAYERS)
    assert len(LAYERS) == len(set(LAYERS))


def test_no_module_imports_one_of_a_higher_layer():
    assert [item for item in upward(graph()) if item not in EXCEPTIONS] == []
    assert set(EXCEPTIONS) <= set(upward(graph())), "what is no exception any more is still listed"


def test_an_import_of_a_higher_layer_is_seen():
    text = "def late():\n    from anonsql.jobs import catalog\n    import anonsql.cli.commands\n"
    planted = {"anonsql.search.late": imports("anonsql.search.late", text, MODULES)}
    assert upward(planted) == [
        ("anonsql.search.late", "anonsql.cli.commands"),
        ("anonsql.search.late", "anonsql.jobs.catalog"),
    ]


def test_packages_do_not_import_each_other():
    """The same without the order: so a listed exception cannot hide a circle either."""
    pairs = defaultdict(set)
    for one, others in graph().items():
        for other in others:
            pairs[room(one)].add(room(other))
    edges = {(a, b) for a, others in pairs.items() for b in others if a != b}
    assert {edge for edge in edges if edge[::-1] in edges} == set()


def feature(module):
    """The command that a module is a part of; none of modules outside of features, and of the kinds
    of policies, which all commands ask."""
    parts = module.split(".")
    known = room(module) == "features" and len(parts) > 3 and parts[2] != "kinds"
    return parts[2] if known else None


def test_features_do_not_import_each_other():
    """A feature may build on others, and none of these on it, over however many steps."""
    built_on = defaultdict(set)
    for one, others in graph().items():
        for other in others:
            if None not in (feature(one), feature(other)) and feature(one) != feature(other):
                built_on[feature(one)].add(feature(other))
    left = {item for pair in built_on.items() for item in (pair[0], *pair[1])}
    assert len(left) > 10
    while bottom := {entry for entry in left if not built_on[entry] & left}:
        left -= bottom
    assert left == set()


def test_every_feature_has_its_command():
    named = {feature(item) for item in MODULES} - {None}
    assert {f"anonsql.features.{entry}.command" for entry in named} <= set(MODULES)


def test_few_modules_stand_at_the_root():
    assert len(list(ROOT.glob("*.py"))) <= 12


SETTINGS = {item.__name__ for item in methods._own().values()}
NAMES = set(methods._own())
MAKES_ONE = {("anonsql.features.compare.command", "FullDomain")}
"""Where settings are named outside :mod:`anonsql.methods`: `compare` compares hierarchies as
policies give them, for which it needs a policy whose method takes every hierarchy as it is."""


@cache
def recodings():
    """The classes that say how a method recodes."""
    return {
        node.name
        for path in MODULES.values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and "By" in map(ast.unparse, node.bases)
    }


def asked(name, text):
    """Where code asks which method something is: the class of its settings, or its name in a
    comparison."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name | ast.Attribute):
            named = node.id if isinstance(node, ast.Name) else node.attr
            if named in SETTINGS and (name, named) not in MAKES_ONE:
                found.append((name, node.lineno, named))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            inner = {item.id for item in ast.walk(node.args[1]) if isinstance(item, ast.Name)}
            found += [
                (name, node.lineno, entry) for entry in sorted(inner & (SETTINGS | recodings()))
            ]
        elif isinstance(node, ast.Compare):
            words = {
                element.value
                for side in (node.left, *node.comparators)
                for element in ast.walk(side)
                if isinstance(element, ast.Constant) and isinstance(element.value, str)
            }
            compared = " ".join(map(ast.unparse, (node.left, *node.comparators)))
            if "type" in compared or "method" in compared:
                found += [(name, node.lineno, word) for word in sorted(words & NAMES)]
        elif isinstance(node, ast.match_case):
            words = {
                each.value.value
                for each in ast.walk(node.pattern)
                if isinstance(each, ast.MatchValue) and isinstance(each.value, ast.Constant)
            }
            found += [(name, node.body[0].lineno, each) for each in sorted(words & NAMES)]
    return found


OUTSIDE = [name for name in MODULES if room(name) != "methods"]


def test_nothing_outside_methods_asks_which_method_it_is():
    assert [item for name in OUTSIDE for item in asked(name, MODULES[name].read_text())] == []
    assert [
        (name, entry) for name, entry in MAKES_ONE if entry not in MODULES[name].read_text()
    ] == []


@pytest.mark.parametrize(
    "text",
    (
        "if isinstance(policy.method, Ring): pass",
        "if isinstance(recoding.by, ByLevels): pass",
        "if type(method) is settings.Ring: pass",
        "if policy.method.type == 'ring': pass",
        "if policy.method.type in ('ring', 'hilbert'): pass",
        "if about['method'] != 'full-domain': pass",
        "match method.type:\n    case 'ring': pass",
    ),
)
def test_a_question_which_method_it_is_is_seen(text):
    assert asked("anonsql.features.run.described", text)


FORMATS = {"duckdb", "file", "parquet", "csv", "folder"}
ENGINES = set(DATABASES) - FORMATS
KNOW_ENGINES = ("engines", "sql")
"""The rooms that name engines: what each does in its own way, and the dialects of SQL. In
:mod:`anonsql.policy.databases` there is one table of what a policy may ask of each."""


def named_engines(text):
    """The engines that code compares something with."""
    words = [
        word.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Compare | ast.match_case)
        for word in ast.walk(node.pattern if isinstance(node, ast.match_case) else node)
        if isinstance(word, ast.Constant)
    ]
    return sorted(ENGINES.intersection(word for word in words if isinstance(word, str)))


def test_nothing_outside_engines_asks_which_engine_it_is():
    assert len(ENGINES) > 2
    outside = [name for name in MODULES if room(name) not in KNOW_ENGINES]
    assert {
        name: found for name in outside if (found := named_engines(MODULES[name].read_text()))
    } == {}


@pytest.mark.parametrize(
    "text",
    (
        "if engine.dialect == 'sqlite': pass",
        "if place.kind in ('duckdb', 'postgres'): pass",
        "match place.kind:\n    case 'mysql': pass",
    ),
)
def test_a_question_which_engine_it_is_is_seen(text):
    assert named_engines(text)
