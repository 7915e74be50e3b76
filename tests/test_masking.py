"""No password of a URL is ever printed, logged or kept, whatever the command and the URL."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.errors import PolicyError, Problem
from anonsql.masking import masked, without_secrets

from .support import cli, flat, make_source, policy_data, write_data

SECRET = "Geh3im"
FORMS = [
    f"postgresql://u:{SECRET}@127.0.0.1:1/db",
    f"postgresql://u:{SECRET}@x{SECRET}@127.0.0.1:1/db",
    f"postgresql://u@server:{SECRET}@127.0.0.1:1/db",
    f"postgresql://u:{SECRET}/a#{SECRET}?b:{SECRET}@127.0.0.1:1/db",
    f"postgresql://u@127.0.0.1:1/db?password={SECRET}&sslmode=disable",
    f"postgresql://127.0.0.1:1/db?user=u&connect_timeout=1&password={SECRET}@x",
    f"postgresql+psycopg2://u:{SECRET}@127.0.0.1:port/db",
    f"postgresql://u:${{HOME}}{SECRET}@127.0.0.1:1/db",
    f"postgresql:/u:{SECRET}@127.0.0.1:1/db",
    f"u:{SECRET}@127.0.0.1/db",
    f"host=127.0.0.1 port=1 password={SECRET}",
    f"mysql://u:{SECRET}@127.0.0.1/db",
    f"s3://key:{SECRET}@bucket/x.parquet",
    f"sc://127.0.0.1:1/;token={SECRET}",
]
COLUMNS = {"age": {"type": "interval", "widths": [2]}, "disease": "sensitive"}


def invoke(*arguments):
    result = cli(*arguments)
    assert result.exit_code in (2, 3), (arguments, result.output, result.exception)
    assert SECRET not in flat(result.output), arguments
    return result


def nothing_kept(folder, *but):
    for file in folder.rglob("*"):
        if file.is_file() and file not in but:
            assert SECRET.encode() not in file.read_bytes(), file


@pytest.fixture
def policy(tmp_path):
    make_source(
        tmp_path, {"age": "INTEGER", "disease": "VARCHAR"}, [(n % 3, "flu") for n in range(9)]
    )

    def write(name="policy.yaml", **changes):
        data = policy_data(COLUMNS, k=2)
        for where, value in changes.items():
            place = data
            *path, last = where.split("__")
            for part in path:
                place = place.setdefault(part, {})
            place[last] = value
        return write_data(tmp_path, data, name)

    return write


PLACES = [
    {"source__database": "{}"},
    {"source__database": "{}", "release__database": "{}", "release__table": "out.r"},
    {"source": {"file": "{}"}},
    {"source": "{}"},
    {"release": {"file": "{}"}},
    {"release": {"database": "{}", "table": "r"}},
    {"catalog": "{}"},
    {"privacy__population": {"database": "{}", "table": "p"}},
    {"columns__age": {"role": "qi", "hierarchy": {"type": "file", "path": "{}"}}},
    {"columns__age": "{}"},
    {"privacy__k": "{}"},
    {"method": {"type": "{}"}},
    {"source__{}": "x"},
]


def filled(value, form):
    if isinstance(value, dict):
        return {name.replace("{}", form): filled(item, form) for name, item in value.items()}
    return value.replace("{}", form)


@pytest.mark.parametrize("form", FORMS)
def test_no_place_of_a_policy_gives_it_away(policy, tmp_path, form):
    for number, place in enumerate(PLACES):
        if form.startswith("host=") and set(place) & {"release", "catalog"}:
            continue  # a name that a new file may have
        path = policy(f"p{number}.yaml", **filled(place, form))
        result = invoke("check" if number % 2 else "run", path, *(["--json"] if number % 3 else []))
        assert result.output
        nothing_kept(tmp_path, path)
        path.unlink()


@pytest.mark.parametrize("form", [FORMS[0], FORMS[1], FORMS[4]])
def test_no_command_gives_it_away(policy, tmp_path, form):
    database = {"source__database": form, "release__database": form, "release__table": "out.r"}
    path, other = policy(**database), policy("other.yaml", **database)
    well = policy("well.yaml")
    for arguments in (
        ["run", path, "--verbose"],
        ["run", path, "--if-changed", "--log-format", "json"],
        ["run", form],
        ["check", form],
        ["apply", path, "--scheme", "3"],
        ["apply", well, "--scheme", form],
        ["compile", path, "--dialect", "postgres", "-o", tmp_path / "sql"],
        ["compile", well, "--dialect", form, "-o", tmp_path / "sql"],
        ["compile", well, "--dialect", "duckdb", "--scheme", form, "-o", tmp_path / "sql"],
        ["search", path],
        ["verify", path],
        ["verify", path, "--against-source"],
        ["measure", path],
        ["measure", well, "--workload", form],
        ["compare", path, other],
        ["compare", path, well],
        ["compare", form, form],
        ["advise", path],
        ["advise", well, "--methods", form],
        ["advise", well, "--k", form],
        ["query", form, "SELECT COUNT(*) FROM out.r"],
        ["query", path, "SELECT COUNT(*) FROM out.r"],
        ["query", "well.duckdb", form],
        ["init", form],
        ["init", form, "-o", tmp_path / "new.yaml"],
        ["init", form, "t", "-o", tmp_path / "new.yaml"],
        ["init", form, "t", "--json", "-o", tmp_path / "new.yaml"],
        ["init", tmp_path / "source.duckdb", form, "-o", tmp_path / "new.yaml"],
        ["init", tmp_path / "source.duckdb", "t", "-o", form],
        ["runs", "-p", form],
        ["runs", form],
        ["runs", "show", "1", "-p", form],
        ["demo", f"{form}/x", "--rows", form],
        ["check", well, form],
        [form],
    ):
        invoke(*arguments)
    nothing_kept(tmp_path, path, other)
    assert cli("runs", "-p", path).output.count(SECRET) == 0


@pytest.mark.parametrize("form", FORMS[:8])
def test_a_place_is_shown_without_it(form):
    shown = without_secrets(form)
    assert (SECRET not in shown and "***" in shown and "127.0.0.1" in shown) or "x" in shown
    assert masked(f"no connection to {shown}: try again") == f"no connection to {shown}: try again"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://user:${PASSWORD}@host:5432/database.",
        "postgresql://u@127.0.0.1:1/db?password=${PW}&sslmode=require",
        "release.table: there is no table 'x' on postgresql://u@h:5432/db.",
        "columns.age.hierarchy.widths[1]: found 3: should be above 2.",
        "/data/key=3/monkey=4/part.parquet does not exist.",
        'GRANT SELECT ON "a"."b" TO "c@d".',
    ],
)
def test_what_is_no_secret_stays(text):
    assert masked(text) == text
    assert str(PolicyError([Problem("x", text)])) == f"x: {text}"


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12))
def test_whatever_a_password_holds(word):
    """As a URL takes it: percent-encoded or not, up to the last @; in a message up to a space."""
    secret = f"{SECRET}{word}{SECRET}"
    assert SECRET not in without_secrets(f"postgresql://user:{secret}@host/db")
    if not any(item.isspace() for item in secret):
        assert SECRET not in masked(f"found 'postgresql://user:{secret}@host/db' there")
