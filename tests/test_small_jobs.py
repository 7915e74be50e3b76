"""What makes small jobs start at once: commands load what they use and nothing else, templates are
compiled once, and what nobody touched is known by its files."""

import json
import sys

import pytest
import yaml
from jinja2 import Environment, FileSystemLoader

import anonsql
from anonsql.features.run import unchanged
from anonsql.policy.policy import Policy
from anonsql.sql.compiled import CompiledTemplates

from .support import cli, in_python, make_source, policy_data

TYPES = {"age": "INTEGER", "sex": "VARCHAR"}
COLUMNS = {"age": {"type": "interval", "widths": [10, 50]}, "sex": {"type": "suppression"}}


@pytest.fixture
def policy(tmp_path):
    """The file of a policy that was published with --if-changed."""
    make_source(tmp_path, TYPES, [(20 + n % 40, "fm"[n % 2]) for n in range(60)])
    file = tmp_path / "policy.yaml"
    file.write_text(yaml.safe_dump(policy_data(COLUMNS, k=3, release={"completed": 0})))
    assert anonsql.run(file, if_changed=True).status == "published"
    return file


NEVER = ("duckdb", "multiprocessing", "pandas", "scipy", "sqlalchemy", "vl_convert")
FIRST = ("_duckdb", "jinja2", "numpy", "pydantic", "sqlglot", "yaml")
WITHOUT = {
    "--version": (*FIRST, "rich"),
    "run POLICY --if-changed": ("numpy", "pydantic", "rich.progress", "anonsql.engines.base"),
    "--help": ("numpy", "pydantic", "sqlglot"),
    "check POLICY": ("numpy", "sqlglot", "rich.progress", "anonsql.jobs.follow_up"),
    "verify POLICY": ("numpy", "sqlglot", "anonsql.verification.linking"),
    "run POLICY": ("sqlglot", "anonsql.jobs.follow_up", "anonsql.verification.linking"),
    "search POLICY": ("sqlglot", "anonsql.query"),
}
"""What commands leave aside besides what none of them loads, those of least needs first: they run
in one process, one after the other."""
EACH = """
import json, sys
from anonsql.cli.commands import app
found = {}
for words, names in json.load(sys.stdin).items():
    try:
        app(words.split(), prog_name="anonsql")
    except SystemExit as ended:
        assert not ended.code, words
    found[words] = [name for name in names if name in sys.modules]
sys.stderr.write(json.dumps(found))
"""


def test_a_command_loads_what_it_uses_and_nothing_else(policy):
    asked = {
        words.replace("POLICY", str(policy)): [*NEVER, *names] for words, names in WITHOUT.items()
    }
    done = in_python("-c", EACH, input=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stderr.splitlines()[-1]) == {words: [] for words in asked}


def test_what_nobody_touched_is_known_without_reading_the_policy(policy, monkeypatch):
    expected = anonsql.run(policy, if_changed=True)
    with monkeypatch.context() as patch:
        patch.setattr("anonsql.api.run", None)
        told = cli("run", policy, "--if-changed", "--json")
        assert json.loads(told.stdout) == json.loads(expected.model_dump_json())
        assert "Unchanged" in cli("run", policy, "--if-changed").stdout
    assert [entry.status for entry in anonsql.runs(policy).runs] == ["unchanged"] * 3 + ["done"]
    with monkeypatch.context() as patch:
        patch.setattr(unchanged, "__version__", "0")
        assert unchanged.known(policy) is None
    policy.rename(policy.with_name("other.yaml"))
    assert unchanged.known(policy.with_name("other.yaml")) is None


TOUCHED = {
    "the policy": lambda file: file.write_text(file.read_text().replace("k: 3", "k: 4")),
    "a log beside the source": lambda file: file.with_name("source.duckdb.wal").touch(),
    "no catalog": lambda file: file.with_name("release.anonsql.duckdb").unlink(),
}


@pytest.mark.parametrize("what", TOUCHED)
def test_what_was_touched_is_not_known(policy, what):
    assert unchanged.known(policy) is not None
    TOUCHED[what](policy)
    assert unchanged.known(policy) is None


@pytest.mark.parametrize("how", ["changed meanwhile", "with a variable"])
def test_a_text_that_is_not_all_that_a_release_was_made_by_is_not_trusted(policy, how, monkeypatch):
    monkeypatch.setenv("PLACE", "source.duckdb")
    text = policy.read_text()
    if how == "changed meanwhile":
        loaded = Policy.load(policy)
        policy.write_text(text.replace("k: 3", "k: 4"))
    else:
        policy.write_text(text.replace("source.duckdb", "${PLACE}"))
        loaded = Policy.load(policy)
    assert anonsql.run(loaded).status == "published"
    assert unchanged.known(policy) is None


class Kept:
    """Templates in a folder, compiled by a cache that keeps their code."""

    def __init__(self, folder):
        self.folder, self.language = folder / "own", folder / "language.py"
        self.folder.mkdir()
        self.template = self.folder / "t.sql"
        self.template.write_text("SELECT {{ x }}")
        self.language.write_text("filters")

    def rendered(self, monkeypatch, *, compiles):
        """Render the template in an environment that has not seen it, which compiles it or not."""
        made = Environment(
            loader=FileSystemLoader(self.folder),
            bytecode_cache=CompiledTemplates([self.folder], self.language),
        )
        compiled, compile_ = [], made.compile
        monkeypatch.setattr(
            made, "compile", lambda *a, **b: compiled.append(1) or compile_(*a, **b)
        )
        text = made.get_template("t.sql").render(x=1)
        assert bool(compiled) == compiles
        return text


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    return Kept(tmp_path)


def test_a_template_is_compiled_once(kept, monkeypatch):
    assert kept.rendered(monkeypatch, compiles=True) == "SELECT 1"
    assert kept.rendered(monkeypatch, compiles=False) == "SELECT 1"
    (file,) = kept.folder.glob("__pycache__/*")
    assert file.stat().st_mode & 0o777 == 0o644
    kept.template.write_text("SELECT {{ x }}, 2")
    assert kept.rendered(monkeypatch, compiles=True) == "SELECT 1, 2"
    file.write_bytes(file.read_bytes()[:40])
    assert kept.rendered(monkeypatch, compiles=True) == "SELECT 1, 2"


def test_code_is_kept_for_one_language_of_templates(kept, monkeypatch):
    kept.rendered(monkeypatch, compiles=True)
    kept.language = kept.language.with_name("newer.py")
    kept.language.write_text("other filters")
    kept.rendered(monkeypatch, compiles=True)


def test_code_is_kept_in_the_packages_own_folders_alone(kept, monkeypatch):
    made = Environment(
        loader=FileSystemLoader(kept.folder),
        bytecode_cache=CompiledTemplates([kept.folder / "below"], kept.language),
    )
    made.get_template("t.sql")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    kept.rendered(monkeypatch, compiles=True)
    assert list(kept.folder.iterdir()) == [kept.template]


@pytest.mark.parametrize("spelled", ["'${PEOPLE}'", '"\\x24{PEOPLE}"'])
def test_a_variable_that_names_another_source_is_a_change(tmp_path, monkeypatch, spelled):
    for name, first in (("one", 20), ("two", 40)):
        lines = [f"{first + n % 7}" for n in range(40)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["age", *lines]))
    (tmp_path / "policy.yaml").write_text(
        f"source: {{file: {spelled}}}\n"
        "release: {file: released.csv, completed: 0}\n"
        "privacy: {k: 2, suppression_limit: 0.5}\n"
        "columns: {age: {role: qi, hierarchy: {type: interval, widths: [10]}}}\n"
    )
    for name in ("one.csv", "two.csv"):
        monkeypatch.setenv("PEOPLE", name)
        assert unchanged.known(tmp_path / "policy.yaml") is None
        assert anonsql.run(tmp_path / "policy.yaml", if_changed=True).status == "published"
    assert anonsql.run(tmp_path / "policy.yaml", if_changed=True).status == "unchanged"
