"""Mutations of policies, hierarchies and CSV files: no traceback, no exit code but 0 to 3, every
message with its place.

The commands are called in this process on a small table; what they raise that is no error of
anonsql fails the test.
"""

import re
import shutil
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql import api
from anonsql.errors import AnonsqlError, BusyError, PolicyError, Problem, SqlError
from anonsql.features.check import command as checking

from .methods import PLAIN
from .support import make_source, policy_data, write_data

EXAMPLES = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
ROWS = [(20 + n % 3, "mf"[n % 2], "abc"[n % 3], n * 0.5) for n in range(24)]
TYPES = {"age": "INTEGER", "sex": "VARCHAR", "ill": "VARCHAR", "kept": "DOUBLE"}
TREE = 'm;person;"*"\nf;person;"*"\n'
CSV = "age,sex,ill,kept\n" + "".join(f"{a},{s},{i},{k}\n" for a, s, i, k in ROWS)
POLICY = policy_data(
    {
        "age": {"type": "interval", "widths": [10, 20]},
        "sex": {"type": "file", "path": "tree.csv"},
        "ill": "sensitive",
        "kept": "insensitive",
    },
    k=3,
    limit=0.1,
    method={"type": "full-domain"},
    engine={"seconds": 20},
)
POLICY["privacy"]["l_diversity"] = {"ill": 2}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 70),
    st.sampled_from([10**30, -(10**30), 0.5, -0.5, 1e300, 5e-324, float("inf"), float("nan")]),
    st.sampled_from(
        ["", " ", "*", "\0", "é", "🦆", "\ud800", "a" * 300, "${HOME}", "${NOPE}", "~"]
    ),
    st.sampled_from(
        ["age", "sex", "ill", "source.duckdb", "tree.csv", "/dev/zero", "..", "a?b", "5%"]
    ),
    st.sampled_from([*PLAIN, "sensitive", "identifying"]),
    st.sampled_from(["postgresql://u:SECRET@127.0.0.1:1/d", "nope://x", "1970-01-01"]),
    st.just([]),
    st.just({}),
    st.just([{"a": [1]}]),
    st.just({"type": "mask", "length": 2}),
    st.just({"l": 2, "type": "entropy"}),
)
PLACE = re.compile(
    r"^(source|release|columns|privacy|method|engine|catalog|policy|path|the source|statement|no"
    r" generalization|the release|"
    r"No connection|/\S*(policy|tree|source)\S*)"
)


def paths(data, above=()):
    """The way to every part of a structure."""
    for name, item in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*above, name)
        if isinstance(item, (dict, list)):
            yield from paths(item, (*above, name))


PATHS = sorted(paths(POLICY), key=str)


def copied(data):
    """A copy that can be changed."""
    if isinstance(data, dict):
        return {name: copied(item) for name, item in data.items()}
    return [copied(entry) for entry in data] if isinstance(data, list) else data


@st.composite
def mutated(draw):
    """The policy with one to three parts replaced, removed, renamed or added."""
    data = copied(POLICY)
    for _ in range(draw(st.integers(1, 3))):
        path, how = (
            draw(st.sampled_from(PATHS)),
            draw(st.sampled_from(["replace", "remove", "rename", "add"])),
        )
        branch = data
        try:
            for part in path[:-1]:
                branch = branch[part]
            old = branch[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
        if not isinstance(branch, (dict, list)):
            continue
        if how == "replace":
            branch[path[-1]] = draw(ODD)
        elif how == "remove":
            del branch[path[-1]]
        elif isinstance(branch, dict):
            branch[
                draw(st.sampled_from(["k", "type", "nope", "seed", "levels", "p", "", "*", "a.b"]))
            ] = old if how == "rename" else draw(ODD)
            if how == "rename" and len(branch) > 1:
                branch.pop(path[-1], None)
    return data


@st.composite
def garbled(draw, text):
    """A text with some of its characters replaced, removed, doubled or moved, as bytes."""
    content = bytearray(text.encode())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        how = draw(st.sampled_from(["insert", "remove", "double", "cut"]))
        if how == "insert":
            piece = draw(
                st.sampled_from(
                    [
                        b"\xff",
                        b"\0",
                        b'"',
                        b";",
                        b",",
                        b"\n",
                        b"\r",
                        b"\t",
                        b": ",
                        b"- ",
                        b"!!int ",
                        b"&a ",
                        b"*a",
                        b"{",
                        b"]",
                        b"\xef\xbb\xbf",
                        b"9" * 500,
                        b"\xe2\x80\xa8",
                        b"'",
                    ]
                )
            )
            content[at:at] = piece
        elif how == "remove":
            del content[at : at + draw(st.integers(1, 30))]
        elif how == "double":
            content[at:at] = content[at : at + draw(st.integers(1, 60))]
        else:
            del content[at:]
    return bytes(content)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return make_source(tmp_path_factory.mktemp("fuzz"), TYPES, ROWS)


@pytest.fixture
def folder(tmp_path, table):
    """The files of the usual policy, as every example finds them."""

    def laid():
        for path in tmp_path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copy(table, tmp_path / "source.duckdb")
        (tmp_path / "tree.csv").write_text(TREE)
        (tmp_path / "source.csv").write_text(CSV)
        return tmp_path

    return laid


def require_error(folder: Path, path: Path, command=api.run):
    """The command is done, or says what is wrong, where, in few words, and leaves nothing half
    done."""
    try:
        command(path)
    except AnonsqlError as error:
        assert error.exit_code in (1, 2, 3), error
        assert not isinstance(error, SqlError), f"{error}\n{error.detail}"
        text = str(error)
        assert text.strip()
        assert len(text) < 20_000
        assert "SECRET" not in text
        text.encode()
        if isinstance(error, PolicyError):
            assert all(problem.where and problem.found for problem in error.problems), (
                error.problems
            )
        else:
            assert isinstance(error, BusyError) or PLACE.match(text), text
        assert not (folder / "release.duckdb").exists()
    assert not list(folder.glob(".*"))


def checked(path):
    """Check a policy; its problems are those of an error."""
    report = checking.check(path)
    report.model_dump_json()
    if report.problems:
        raise PolicyError([Problem(*problem.model_dump().values()) for problem in report.problems])


@EXAMPLES
@given(data=mutated())
def test_policies(folder, data):
    here = folder()
    path = here / "policy.yaml"
    try:
        path.write_text(yaml.safe_dump(data, allow_unicode=False, sort_keys=False))
    except (yaml.YAMLError, UnicodeEncodeError):
        return
    require_error(here, path)


@EXAMPLES
@given(content=garbled(yaml.safe_dump(POLICY, sort_keys=False)))
def test_texts_of_policies(folder, content):
    here = folder()
    (here / "policy.yaml").write_bytes(content)
    require_error(here, here / "policy.yaml")


@settings(EXAMPLES, max_examples=50)
@given(content=garbled(TREE))
def test_hierarchies(folder, content):
    here = folder()
    (here / "tree.csv").write_bytes(content)
    write_data(here, POLICY)
    require_error(here, here / "policy.yaml", checked)


@settings(EXAMPLES, max_examples=50)
@given(content=garbled(CSV))
def test_csv_files(folder, content):
    here = folder()
    (here / "source.csv").write_bytes(content)
    write_data(here, {**POLICY, "source": {"file": "source.csv"}})
    require_error(here, here / "policy.yaml", checked)
