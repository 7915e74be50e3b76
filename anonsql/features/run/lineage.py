"""Lineage of a run for data catalogs: one COMPLETE event of OpenLineage, sent where the variables of
its standard client say. It has names of tables and columns, and no value of the source. The release
is published by then: a failure is a warning."""

from __future__ import annotations

import json
import os
import urllib.request
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from anonsql.engines.base import ReleaseTables, StatedColumn
from anonsql.features.kinds.base import Kind, Origin
from anonsql.grammar.forms import column_of
from anonsql.jobs.job import Job
from anonsql.policy.locations import Location
from anonsql.policy.policies import AnyPolicy
from anonsql.policy.source import Source
from anonsql.system.journal import log
from anonsql.version import __version__

_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_FACETS = "https://openlineage.io/spec/facets"
_PRODUCER = f"urn:anonsql:{__version__}"
_PREFIX = "OPENLINEAGE__TRANSPORT"
_SECONDS = 5
_OWN = ("record", "group", "bucket", "level-number", "status")
"""The forms of columns that hold nothing of a column of the source."""


def emit(kind: Kind[Any], policy: AnyPolicy, job: Job) -> None:
    """Send the event of a published release, if the environment names a place for it."""
    try:
        if (transport := _transport()) is not None:
            _send(transport, json.dumps(event(kind, policy, job)))
    except Exception as error:  # whatever it is, the release is published
        # its text may hold the key, or the password of a URL
        reason = f"{type(error).__name__} {getattr(error, 'code', '')}".strip()
        log.warning("the release is published, but its lineage could not be sent: %s", reason)


def _transport() -> dict[str, Any] | None:
    """Return the transport of the environment, its keys in small letters; None without one."""
    if os.environ.get("OPENLINEAGE_DISABLED", "").lower() == "true":
        return None
    given = json.loads(os.environ.get(_PREFIX, "{}"))
    found = {name.lower(): value for name, value in given.items()}
    for name in ("type", "url", "endpoint", "auth", "log_file_path", "append"):
        if value := os.environ.get(f"{_PREFIX}__{name.upper()}"):
            found.setdefault(name, value)
    if not found and (url := os.environ.get("OPENLINEAGE_URL")):
        found = {"type": "http", "url": url, "endpoint": os.environ.get("OPENLINEAGE_ENDPOINT")}
        if key := os.environ.get("OPENLINEAGE_API_KEY"):
            found["auth"] = {"apiKey": key}
    return found or None


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: it would take the key to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Return no request."""


def _send(transport: dict[str, Any], text: str) -> None:
    if transport.get("type") == "file":
        path = str(transport["log_file_path"]).removeprefix("file://")
        if str(transport.get("append", "")).lower() == "true":
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(f"{text}\n")
        else:
            now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S.%f")
            Path(f"{path}-{now}.json").write_text(text, encoding="utf-8")
        return
    url = str(transport.get("url", ""))
    if transport.get("type") != "http" or urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("only the transports http and file are known")
    auth = transport.get("auth") or {}
    auth = json.loads(auth) if isinstance(auth, str) else auth
    key = auth.get("apiKey") or os.environ.get(f"{_PREFIX}__AUTH__APIKEY", "")
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {key.strip()}"} if key else {}
    place = urljoin(
        url.rstrip("/") + "/", (transport.get("endpoint") or "api/v1/lineage").lstrip("/")
    )
    request = urllib.request.Request(place, text.encode(), headers, method="POST")  # noqa: S310
    urllib.request.build_opener(_Stay).open(request, timeout=_SECONDS).close()


def event(kind: Kind[Any], policy: AnyPolicy, job: Job) -> dict[str, Any]:
    """Return the event of a job's published release."""
    inputs: dict[str, dict[str, str]] = {}
    outputs, origins = [], kind.origins(policy)
    with job.target.published() as first:
        for origin in origins:
            whole = len(origins) == 1 or first.rows[-1] == origin.table
            tables = first if whole else first.beside(origin.table)
            if tables is None:
                continue
            read = _read(job.places.source, origin.source)
            inputs |= {f"{one['namespace']} {one['name']}": one for one in read}
            release = job.places.release
            name = origin.table if release.is_file else ".".join(tables.rows[-2:])
            place = _dataset(release, name)
            fields = _fields(tables, origin, read[0] if len(read) == 1 else None)
            schema = [
                {"name": column.name, "type": column.type}
                for column in tables.engine.columns(tables.rows)
            ]
            facets = {
                "schema": _facet("1-2-0/SchemaDatasetFacet.json", schema),
                "columnLineage": _facet("1-2-0/ColumnLineageDatasetFacet.json", fields),
            }
            outputs.append({**place, "facets": facets})
    name = f"anonsql.{job.first.release.name}"
    return {
        "eventType": "COMPLETE",
        "eventTime": datetime.now(UTC).isoformat(),
        "producer": _PRODUCER,
        "schemaURL": _SCHEMA,
        "run": {"runId": str(uuid.uuid4())},
        "job": {"namespace": os.environ.get("OPENLINEAGE_NAMESPACE", "anonsql"), "name": name},
        "inputs": list(inputs.values()),
        "outputs": outputs,
    }


def _facet(schema: str, fields: object) -> dict[str, object]:
    return {"_producer": _PRODUCER, "_schemaURL": f"{_FACETS}/{schema}", "fields": fields}


def _fields(
    tables: ReleaseTables, origin: Origin, read: dict[str, str] | None
) -> dict[str, dict[str, Any]]:
    """Return what each released column is made of: nothing where several tables are read."""
    result = {}
    for column in tables.stated_columns:
        name = origin.columns.get(column_of(column.name, column.form) or column.name)
        if name is None or read is None or column.form in _OWN:
            continue
        made = {"type": "DIRECT", **_transformation(column)}
        result[column.name] = {"inputFields": [{**read, "field": name, "transformations": [made]}]}
    return result


def _transformation(column: StatedColumn) -> dict[str, object]:
    """Return how a released column is made: whether it masks, and its form as `__columns` has it."""
    same = column.form == "value" and column.role not in ("quasi-identifying", "semi-sensitive")
    measured = column.role == "measure"
    subtype = "AGGREGATION" if measured else "IDENTITY" if same else "TRANSFORMATION"
    return {"subtype": subtype, "description": column.form or "", "masking": not same}


def _read(location: Location, source: Source) -> list[dict[str, str]]:
    """Return the tables that a source reads. The text of a query may hold values: only the names of
    its tables are used."""
    if source.query is None:
        table = source.table or location.path.stem
        return [_dataset(location, table)]
    tree = sqlglot.parse_one(source.query, read="duckdb")
    read = [
        ".".join(part.name for part in table.parts)
        for scope in traverse_scope(tree)
        for table in scope.sources.values()
        if isinstance(table, exp.Table)
    ]
    return [_dataset(location, one) for one in dict.fromkeys(read) if one]


def _dataset(location: Location, table: str) -> dict[str, str]:
    """Return a table as OpenLineage names it; of a URL neither user, password nor options."""
    if location.kind == "folder":
        return {"namespace": "file", "name": str(location.path / f"{table}.parquet")}
    if location.kind in ("file", "csv", "parquet"):
        return {"namespace": "file", "name": str(location.path)}
    if location.is_file:
        schema = "" if "." in table else "main."
        name = f"{location.path.stem}.{schema}{table}"
        return {"namespace": f"{location.kind}://{location.path}", "name": name}
    url = urlsplit(location.url)
    port = f":{url.port}" if url.port else ""
    database = url.path.strip("/")
    return {
        "namespace": f"{location.kind}://{url.hostname or 'local'}{port}",
        "name": f"{database}.{table}" if database else table,
    }
