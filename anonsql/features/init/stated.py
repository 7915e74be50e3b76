"""The roles that others state of a table's columns: a dbt model in ``meta.anonsql``, or a data
contract (ODCS 3) in ``classification``. They are proposals, and comments say where each is from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.features.init.proposals import Decision, hierarchy_of
from anonsql.policy import yaml_text
from anonsql.policy.columns import GENERALIZED, ROLE_ALIASES, RoleName
from anonsql.system import text_files

_MOST = 500_000_000
"""The bytes of a manifest, at most: it describes all of a project."""
_PERSONAL = ("pii", "personal", "personal data", "personally identifiable")
"""Classifications that mean a role. One such as `confidential` does not: a sensitive column is
released as it is."""
_RELATIONS = ("model", "seed", "snapshot", "source")
_WEAKER = ("insensitive", "weight", "sensitive", "semi-sensitive")

Origin = Literal["dbt", "contract"]


@dataclass(frozen=True)
class Stated:
    """What is stated of a column: ``says`` it in words. The ``role`` counts whatever the column
    looks like, or with ``yields`` only where nothing else suggests one."""

    says: str
    role: str | None = None
    hierarchy: str = ""
    yields: bool = False


def read(form: Origin, file: Path, table: str) -> dict[str, Stated]:
    """Return what a manifest of dbt or a data contract states of a table's columns, by their names
    in small letters. Raise PolicyError where the file is neither, or has no such table."""
    text = text_files.read_text(file, str(file), _MOST, remedy="Check the path.")
    try:
        data = json.loads(text) if form == "dbt" else yaml_text.parse(text, str(file))
    except (ValueError, RecursionError):
        data = None
    described = (_models if form == "dbt" else _objects)(data)
    if described is None:
        what = (
            "manifest of dbt: `dbt parse` writes target/manifest.json"
            if form == "dbt"
            else "data contract of the Open Data Contract Standard, version 3"
        )
        raise PolicyError.at(str(file), f"this is no {what}.", "Name such a file.")
    asked = table.lower().split(".")
    found = [one for one in described if _is_of(one.table.lower().split("."), asked)]
    if not found:
        hint = did_you_mean(table, [one.table for one in described])
        raise PolicyError.at("TABLE", f"{file} describes no table {table!r}.", hint)
    if len(found) > 1:
        names = ", ".join(one.table for one in found)
        text = f"{file} describes several tables of this name: {names}."
        raise PolicyError.at("TABLE", text, "Name the table with its schema.")
    one_of = _of_model if form == "dbt" else _of_property
    return {
        name.lower(): one_of(str(file), name, column) for name, column in found[0].columns.items()
    }


def _is_of(described: Sequence[str], asked: Sequence[str]) -> bool:
    """Return whether two tables are the same, as far as both have a schema."""
    both = min(len(described), len(asked))
    return described[-both:] == asked[-both:]


@dataclass(frozen=True)
class _Described:
    """The ``columns`` of a table, each as its file describes it."""

    table: str
    columns: Mapping[str, Mapping[str, Any]]


def _models(data: Any) -> list[_Described] | None:
    """Return each model, seed, snapshot and source; None of another document."""
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), dict):
        return None
    sources = data.get("sources")
    nodes = [*data["nodes"].values(), *(sources.values() if isinstance(sources, dict) else ())]
    result = []
    for node in nodes:
        if not isinstance(node, dict) or node.get("resource_type") not in _RELATIONS:
            continue
        columns = node.get("columns")
        own = {
            str(column.get("name", name)): column
            for name, column in (columns.items() if isinstance(columns, dict) else ())
            if isinstance(column, dict)
        }
        name = node.get("identifier") or node.get("alias") or node.get("name")
        result.append(_Described(f"{node.get('schema')}.{name}", own))
    return result


def _of_model(file: str, name: str, column: Mapping[str, Any]) -> Stated:
    inside = column.get("config")
    metas = [column.get("meta"), inside.get("meta") if isinstance(inside, dict) else None]
    found = next(
        (one["anonsql"] for one in metas if isinstance(one, dict) and "anonsql" in one), None
    )
    if found is None:
        return Stated("")
    return _declared(file, f"{name}: meta.anonsql", found, "`meta.anonsql` of dbt says")


def _objects(data: Any) -> list[_Described] | None:
    """Return each object of a contract with its properties; None of another document."""
    if not isinstance(data, dict) or not str(data.get("apiVersion", "")).startswith("v3"):
        return None
    if data.get("kind") != "DataContract" or not isinstance(data.get("schema"), list):
        return None
    result = []
    for item in data["schema"]:
        if not isinstance(item, dict) or not isinstance(item.get("properties"), list):
            continue
        own = {
            str(one.get("physicalName") or one["name"]): one
            for one in item["properties"]
            if isinstance(one, dict) and "name" in one
        }
        result.append(_Described(str(item.get("physicalName") or item.get("name")), own))
    return result


def _of_property(file: str, name: str, column: Mapping[str, Any]) -> Stated:
    customs = column.get("customProperties")
    for custom in customs if isinstance(customs, list) else ():
        if isinstance(custom, dict) and custom.get("property") == "anonsql":
            where = f"{name}: customProperties"
            return _declared(file, where, custom.get("value"), "`anonsql` of the contract says")
    if column.get("primaryKey") is True and column.get("primaryKeyPosition") in (None, 1):
        return Stated("The contract calls it the primary key", "identifying", yields=True)
    classification = column.get("classification")
    if classification is None:
        return Stated("")
    word = " ".join(str(classification).lower().replace("_", " ").replace("-", " ").split())
    says = f"The contract classifies it as {str(classification)!r}"
    return Stated(says, "quasi-identifying" if word in _PERSONAL else None, yields=True)


def _declared(file: str, where: str, found: Any, says: str) -> Stated:
    """Return a role, or a mapping with a role and a hierarchy, as a statement."""
    entry = {"role": found} if isinstance(found, str) else found
    role = entry.get("role") if isinstance(entry, dict) else None
    role = ROLE_ALIASES.get(role, role) if isinstance(role, str) else None
    if role not in get_args(RoleName):
        text = f"{where} has no role: {str(found)[:80]!r}."
        raise PolicyError.at(file, text, f"One of {', '.join(get_args(RoleName))}.")
    shape = entry.get("hierarchy")
    return Stated(says, role, json.dumps(shape) if isinstance(shape, dict) else "")


def with_stated(
    decisions: Sequence[Decision], stated: Mapping[str, Stated]
) -> tuple[list[Decision], list[Problem]]:
    """Return the decisions with the stated roles, and warnings: of columns that look as if they
    pointed to people while something weaker is stated, and of stated columns that are not there."""
    result, warnings = list[Decision](), list[Problem]()
    for decision in decisions:
        said = stated.get(decision.profile.column.name.lower(), Stated(""))
        result.append(_with(decision, said))
        strong = decision.role in ("identifying", "quasi-identifying")
        if strong and not said.yields and said.role in _WEAKER:
            text = f"{said.says} {said.role}, but the column looks {decision.role}. {decision.why}"
            way = "Keep the stated role only if no one can link the column to a person."
            warnings.append(Problem(f"columns.{decision.name}", text, way))
    known = {decision.profile.column.name.lower() for decision in decisions}
    if missing := sorted(name for name, one in stated.items() if one.says and name not in known):
        text = f"roles are stated of columns that the table does not have: {', '.join(missing)}."
        warnings.append(Problem("columns", text, "Check that it is the same table."))
    return result, warnings


def _with(decision: Decision, said: Stated) -> Decision:
    if not said.says:
        return decision
    if said.role is None or (said.yields and decision.role != "null"):
        return replace(decision, why=f"{said.says}. {decision.why}")
    shape, suits = "", ""
    if said.role in GENERALIZED:
        shape, suits = (said.hierarchy, "") if said.hierarchy else hierarchy_of(decision.profile)
    looks = (
        "" if decision.role in ("null", said.role) else f"It looks {decision.role}. {decision.why}"
    )
    why = " ".join(f"{said.says}: {said.role}. {suits} {looks}".split())
    return replace(decision, role=said.role, hierarchy=shape, why=why)
