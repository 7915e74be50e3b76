"""OpenLineage: the event that `run` sends has the fields that the specification (2-0-2) and its
facets demand and no others, holds no value of the source, and never fails a run."""

import http.server
import json
import logging
import threading
from typing import ClassVar

import pytest
from jsonschema import Draft202012Validator, FormatChecker

import anonsql

from . import clinic
from .published_tables import EXAMPLES, policy_of
from .support import make_source, policy_data, rows_of


def of(required, optional=(), **own):
    """The schema of an object: fields that it must and may have, as texts if nothing else is said."""
    text = {"type": "string", "minLength": 1}
    fields = {name: own.get(name, text) for name in (*required, *optional)}
    closed = {"type": "object", "required": list(required), "additionalProperties": False}
    return {**closed, "properties": fields}


def every(schema):
    return {"type": "array", "items": schema}


URL = {"type": "string", "format": "uri", "pattern": "^https://openlineage.io/spec/"}
FACET = {"_producer": {"type": "string", "format": "uri"}, "_schemaURL": URL}
HOW = of(
    ("type", "subtype", "masking"),
    ("description",),
    description={"type": "string"},
    type={"enum": ["DIRECT", "INDIRECT"]},
    masking={"type": "boolean"},
)
FIELD = of(
    ("inputFields",),
    inputFields=every(
        of(("namespace", "name", "field", "transformations"), transformations=every(HOW))
    ),
)
LINEAGE = of((*FACET, "fields"), **FACET, fields={"type": "object", "additionalProperties": FIELD})
COLUMNS_FACET = of((*FACET, "fields"), **FACET, fields=every(of(("name", "type"))))
FACETS = of(("schema", "columnLineage"), schema=COLUMNS_FACET, columnLineage=LINEAGE)
DATASET = ("namespace", "name")
EVENT = of(
    ("eventTime", "eventType", "producer", "schemaURL", "run", "job", "inputs", "outputs"),
    eventTime={"type": "string", "format": "date-time"},
    eventType={"const": "COMPLETE"},
    producer=FACET["_producer"],
    schemaURL=URL,
    run=of(("runId",), runId={"type": "string", "format": "uuid"}),
    job=of(DATASET),
    inputs=every(of(DATASET)),
    outputs=every(of((*DATASET, "facets"), facets=FACETS)),
)
SECRET = "Zerubabel"


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    """Events go to a file, one a line."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "file")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__APPEND", "true")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__LOG_FILE_PATH", str(tmp_path / "events.jsonl"))
    return tmp_path / "events.jsonl"


def events(file):
    """The events of a file, each as it must be."""
    found = [json.loads(line) for line in file.read_text().splitlines()]
    for one in found:
        fits(one)
    return found


def fits(event):
    Draft202012Validator(EVENT, format_checker=FormatChecker()).validate(event)


COLUMNS = {
    "name": "identifying",
    "age": {"type": "interval", "widths": [10, 20]},
    "sex": {"type": "suppression"},
    "disease": "sensitive",
}


def policy(folder, **more):
    rows = [(SECRET, 20 + n, "mf"[n % 2], f"{SECRET} {n % 3}") for n in range(40)]
    types = dict.fromkeys(COLUMNS, "VARCHAR") | {"age": "INTEGER"}
    make_source(folder, types, rows)
    places = {
        "source": {"database": str(folder / "source.duckdb"), "table": "t"},
        "release": {"database": str(folder / "release.duckdb"), "table": "r"},
    }
    return policy_data(COLUMNS, k=4, **{**places, **more})


def made(event, output=0):
    """By released column: the source's column, how it is made, and whether that masks."""
    fields = event["outputs"][output]["facets"]["columnLineage"]["fields"]
    found = {}
    for name, field in fields.items():
        (read,) = field["inputFields"]
        (how,) = read["transformations"]
        found[name] = (read["field"], how["subtype"], how["masking"])
    return found


def test_a_run_sends_one_event_without_values(tmp_path, file):
    data = policy(tmp_path)
    anonsql.run(data, dry_run=True)
    assert not file.exists()
    anonsql.run(data)
    anonsql.run(data, if_changed=True)
    (event,) = events(file)
    assert event["eventType"] == "COMPLETE" and event["job"]["name"] == "anonsql.r"
    where = f"duckdb://{tmp_path}"
    assert event["inputs"] == [{"namespace": f"{where}/source.duckdb", "name": "source.main.t"}]
    assert event["outputs"][0]["namespace"] == f"{where}/release.duckdb"
    assert made(event) == {
        **dict.fromkeys(("age", "age_lo", "age_hi"), ("age", "TRANSFORMATION", True)),
        "sex": ("sex", "TRANSFORMATION", True),
        "disease": ("disease", "IDENTITY", False),
    }
    schema = event["outputs"][0]["facets"]["schema"]["fields"]
    names = [column["name"] for column in schema]
    described = rows_of(tmp_path / "release.duckdb", "DESCRIBE r")
    assert names == [row[0] for row in described]
    assert SECRET not in file.read_text()


def test_files_and_queries(tmp_path, file):
    (tmp_path / "t.csv").write_text("age\n" + "\n".join(map(str, range(40))))
    source = {"file": str(tmp_path / "t.csv")}
    age = {"age": COLUMNS["age"]}
    data = policy_data(age, k=4, source=source, release={"file": str(tmp_path / "r.parquet")})
    anonsql.run(data)
    query = f"WITH c AS (SELECT * FROM t WHERE name = '{SECRET}') SELECT age FROM c"
    of_query = policy(
        tmp_path, source={"database": str(tmp_path / "source.duckdb"), "query": query}
    )
    anonsql.run({**of_query, "columns": policy_data(age)["columns"]})
    one, other = events(file)
    assert one["inputs"] == [{"namespace": "file", "name": str(tmp_path / "t.csv")}]
    assert one["outputs"][0]["name"] == str(tmp_path / "r.parquet")
    assert [read["name"] for read in other["inputs"]] == ["source.main.t"]
    assert made(other)["age"] == ("age", "TRANSFORMATION", True)
    assert SECRET not in file.read_text()


def test_several_tables(tmp_path, file):
    _, data = clinic.in_a_file(tmp_path)
    anonsql.run(data)
    (event,) = events(file)
    assert len(event["outputs"]) == len(event["inputs"]) > 2
    patients = next(
        number for number, one in enumerate(event["outputs"]) if one["name"].endswith(".patients")
    )
    found = made(event, patients)
    assert found["born"] == ("born", "TRANSFORMATION", True)
    assert found["patient_id"] == ("patient_id", "TRANSFORMATION", True)


def test_statistics(tmp_path, file):
    anonsql.tabulate(policy_of(tmp_path, EXAMPLES["linked tables, table 3"]))
    (event,) = events(file)
    assert [one["name"].rpartition(".")[2] for one in event["outputs"]] == [
        *("age_year_geo", "year_geo")
    ]
    found = made(event)
    assert found["age"] == ("age", "TRANSFORMATION", True)
    assert "age_level" not in found and "n_status" not in found


class Catalog(http.server.BaseHTTPRequestHandler):
    """A data catalog that answers as a test wants, and keeps what it is sent."""

    status = 201
    got: ClassVar[list] = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((self.path, self.headers.get("Authorization"), json.loads(body)))
        self.send_response(self.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def do_GET(self):
        self.do_POST()

    def log_message(self, *_):
        pass


@pytest.fixture
def catalog(monkeypatch):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Catalog) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.delenv("OPENLINEAGE__TRANSPORT__TYPE")
        monkeypatch.delenv("OPENLINEAGE__TRANSPORT__APPEND")
        monkeypatch.delenv("OPENLINEAGE__TRANSPORT__LOG_FILE_PATH")
        monkeypatch.setenv("OPENLINEAGE_URL", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("OPENLINEAGE_API_KEY", "hush")
        Catalog.got = []
        yield server
        server.shutdown()


def test_an_endpoint_gets_the_event(tmp_path, catalog, monkeypatch):
    data = policy(tmp_path)
    anonsql.run(data)
    ((path, key, event),) = Catalog.got
    assert (path, key) == ("/api/v1/lineage", "Bearer hush")
    fits(event)
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    anonsql.run(data)
    assert len(Catalog.got) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": 500},
        {"status": 302},
        {"OPENLINEAGE_URL": "http://user:hush@127.0.0.1:1"},
        {"OPENLINEAGE_URL": "http://user:hush@127.0.0.1"},
        {"OPENLINEAGE_API_KEY": "hush\nhush"},
        {"OPENLINEAGE_URL": "file:///etc/passwd"},
        {"OPENLINEAGE__TRANSPORT": "{"},
        {"OPENLINEAGE__TRANSPORT": '{"type": "kafka"}'},
        {"OPENLINEAGE__TRANSPORT": '{"type": "file", "log_file_path": "/nowhere/x"}'},
    ],
    ids=str,
)
def test_a_failure_is_a_warning(tmp_path, catalog, monkeypatch, caplog, wrong):
    monkeypatch.setattr(Catalog, "status", wrong.pop("status", 201))
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    with caplog.at_level(logging.WARNING):
        report = anonsql.run(policy(tmp_path))
    assert (
        report.status == "published" and len(rows_of(tmp_path / "release.duckdb", "FROM r")) == 40
    )
    assert "its lineage could not be sent" in caplog.text and "hush" not in caplog.text
    assert [path for path, *_ in Catalog.got] in ([], ["/api/v1/lineage"]), "nobody is followed"
