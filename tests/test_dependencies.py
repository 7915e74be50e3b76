"""What the project depends on: ranges with both ends, a lock that fits them and names no host, and
the SQL that sqlglot makes of ours."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import sqlglot
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from anonsql.sql import templates
from anonsql.version import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GOLDEN = json.loads((Path(__file__).parent / "golden_sql.json").read_text())


def declared():
    """Every requirement of the project and its extras."""
    extras = PROJECT["optional-dependencies"].values()
    found = [Requirement(item) for those in (PROJECT["dependencies"], *extras) for item in those]
    return [entry for entry in found if entry.name != "anonsql"]


def test_classifiers_name_the_versions_of_python_that_are_checked():
    checks = yaml.safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text())
    versions = checks["jobs"]["run"]["strategy"]["matrix"]["python"]
    listed = [re.search(r"Python :: (3\.\d+)$", item) for item in PROJECT["classifiers"]]
    assert [found[1] for found in listed if found] == versions
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_the_version_is_the_first_of_the_changes():
    changes = (ROOT / "anonsql" / "guide" / "changes.md").read_text()
    assert re.search(r"^## ([0-9.]+)", changes, re.M)[1] == __version__


def locked():
    """The versions of the lock, by name."""
    text = (Path(__file__).parent / "requirements.lock").read_text()
    found = {}
    for name, version in re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^ ;\\]+)", text, re.M):
        found.setdefault(canonicalize_name(name), []).append(Version(version))
    return text, found


@pytest.mark.parametrize("one", declared(), ids=str)
def test_a_major_that_nobody_tried_is_not_taken(one):
    stubs = one.name.startswith("types-")  # which follow what they describe
    assert stubs or {item.operator for item in one.specifier} >= {">=", "<"}


def test_the_lock_fits_what_is_declared():
    text, found = locked()
    for one in declared():
        if one.name in ("presidio-analyzer", "scikit-learn"):
            continue  # no parts of the extra `test`, which the lock is of
        assert found[canonicalize_name(one.name)], one.name
        assert all(item in one.specifier for item in found[canonicalize_name(one.name)]), one
    distributions = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.M)[1:]
    assert len(distributions) > 40 and all(
        "--hash=sha256:" in distribution for distribution in distributions
    )
    assert "://" not in "".join(distributions) and "--index-url" not in text


@pytest.mark.parametrize("case", GOLDEN, ids=[case["what"] for case in GOLDEN])
def test_sqlglot_makes_the_sql_that_was_looked_at(case):
    """Of every construct that templates use: whoever raises the range of sqlglot reads what changed
    here."""
    for dialect in ("postgres", "spark"):
        made = templates.translate(case["duckdb"], dialect)
        assert made == case[dialect], f"sqlglot {sqlglot.__version__} for {dialect}"
