"""``anonsql init --dbt`` and ``--contract``: roles that others state are proposed, with their origin."""

import json

import pytest
import yaml

from .support import cli, ended, flat, make_table

TYPES = dict.fromkeys(("id", "mail", "age", "sex", "disease", "ward"), "VARCHAR") | {
    "age": "INTEGER"
}


@pytest.fixture
def folder(tmp_path):
    rows = [
        (f"i{n}", f"a{n}@example.org", 20 + n % 50, "mf"[n % 2], f"d{n % 4}", f"w{n % 30}")
        for n in range(100)
    ]
    make_table(tmp_path / "shop.duckdb", TYPES, rows, table="patients")
    return tmp_path


def column(name, meta=None):
    """A column as dbt 1.11 writes it into its manifest."""
    return {
        **{"name": name, "description": "", "meta": meta or {}, "data_type": None},
        **{"constraints": [], "quote": None, "config": {"meta": meta or {}, "tags": []}},
        **{"tags": [], "granularity": None, "doc_blocks": []},
    }


AGE = {"role": "quasi-identifying", "hierarchy": {"type": "interval", "widths": [5, 10]}}
ROLES = {"id": "insensitive", "age": AGE, "sex": "qi", "disease": "sensitive", "gone": "sensitive"}


def manifest(folder, **roles):
    """The part of a manifest of dbt (v12) that describes a model."""
    columns = {name: column(name, {"anonsql": role}) for name, role in roles.items()}
    node = {
        **{"database": "shop", "schema": "main", "name": "patients", "resource_type": "model"},
        **{"alias": "patients", "unique_id": "model.shop.patients", "columns": columns},
    }
    schema = {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"}
    nodes = {"model.shop.patients": node, "test.shop.x": {"name": "x", "columns": {}}}
    path = folder / "manifest.json"
    path.write_text(json.dumps({"metadata": schema, "nodes": nodes, "sources": {}}))
    return path


def proposed(folder, *options):
    """What `init` says, and the proposed columns, each with its comment."""
    out = folder / "policy.yaml"
    result = cli("init", folder / "shop.duckdb", "main.patients", "-o", out, *options)
    ended(result, 0)
    text = out.read_text()
    columns = yaml.safe_load(text)["columns"]
    return flat(result.output), columns, flat(text.replace("#", ""))


def test_a_model_of_dbt_states_roles(folder):
    printed, columns, text = proposed(folder, "--dbt", manifest(folder, **ROLES))
    assert columns["age"] == {"role": "quasi-identifying", "hierarchy": AGE["hierarchy"]}
    assert columns["sex"] == {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}
    assert columns["disease"] == {"role": "sensitive"}
    assert columns["mail"] == {"role": "identifying"} and columns["ward"] == {"role": None}
    assert columns["id"] == {"role": "insensitive"}
    assert "`meta.anonsql` of dbt says: sensitive." in text
    assert "says insensitive, but the column looks identifying" in printed
    assert "roles are stated of columns that the table does not have: gone" in printed
    assert "You must still decide: ward" in printed


CONTRACT = """
apiVersion: v3.1.0
kind: DataContract
id: 53581432-6c55-4ba2-a65f-72344a91553a
version: 1.0.0
status: active
name: patients
schema:
  - name: people
    physicalName: patients
    physicalType: table
    logicalType: object
    properties:
      - {name: id, logicalType: string, physicalType: VARCHAR, primaryKey: true, classification: restricted}
      - {name: contact, physicalName: mail, logicalType: string, classification: public}
      - {name: age, logicalType: integer, classification: public}
      - {name: sex, logicalType: string, classification: PII}
      - name: disease
        logicalType: string
        classification: confidential
        customProperties: [{property: anonsql, value: semi-sensitive}]
      - {name: ward, logicalType: string, classification: restricted}
"""
"""In the fields of the standard; it fits odcs-json-schema-v3.1.0.json."""


def test_a_data_contract_proposes_and_weakens_nothing(folder):
    (folder / "contract.yaml").write_text(CONTRACT)
    _, columns, text = proposed(folder, "--contract", folder / "contract.yaml")
    assert [columns[name]["role"] for name in ("id", "mail", "age", "sex")] == [
        *("identifying", "identifying", "quasi-identifying", "quasi-identifying")
    ]
    assert columns["ward"]["role"] is None, "a sensitive column would be released as it is"
    assert columns["disease"]["role"] == "semi-sensitive" and "hierarchy" in columns["disease"]
    assert "The contract classifies it as 'restricted'." in text
    assert "The contract classifies it as 'public'." in text


def test_a_table_of_another_schema_states_nothing(folder):
    """The same name in another schema, where a column may be hashed, is another table."""
    path = manifest(folder, mail="insensitive")
    data = json.loads(path.read_text())
    (node, _) = data["nodes"].values()
    other = {**node, "schema": "raw", "resource_type": "source", "columns": {}}
    path.write_text(json.dumps({**data, "sources": {"x": {**other, "identifier": "patients"}}}))
    given = ("init", folder / "shop.duckdb", "patients", "--dbt", path, "-o", folder / "p.yaml")
    ended(cli(*given), 2, "several tables of this name: main.patients, raw.patients")
    path.write_text(json.dumps({**data, "nodes": {"a": {**node, "schema": "marts"}}}))
    ended(cli(*given[:2], "main.patients", *given[3:]), 2, "describes no table 'main.patients'")


@pytest.mark.parametrize(
    "wrong",
    ["primaryKeyPosition: null", "primaryKeyPosition: '1'", "customProperties: 3"],
)
def test_fields_of_other_types_are_left_out(folder, wrong):
    changed = CONTRACT.replace("primaryKey: true", f"primaryKey: true, {wrong}")
    (folder / "contract.yaml").write_text(changed)
    _, columns, _ = proposed(folder, "--contract", folder / "contract.yaml")
    assert columns["id"]["role"] == "identifying"


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("--dbt", '{"nodes": {}, "sources": [1]}', "describes no table"),
        ("--dbt", "{", "no manifest of dbt"),
        ("--dbt", '{"nodes": []}', "no manifest of dbt"),
        ("--dbt", "[" * 10**5, "no manifest of dbt"),
        ("--dbt", '{"nodes": {}}', "describes no table 'main.patients'"),
        ("--contract", "kind: DataContract", "no data contract"),
        ("--contract", "apiVersion: v2.2.2\nkind: DataContract\nschema: []", "no data contract"),
        ("--contract", CONTRACT.replace("patients\n", "other\n"), "describes no table"),
        (
            "--contract",
            CONTRACT.replace("semi-sensitive", "[1]"),
            "disease: customProperties has no",
        ),
    ],
)
def test_other_files_are_refused(folder, option, text, said):
    (folder / "file").write_text(text)
    given = ("init", folder / "shop.duckdb", "main.patients", option, folder / "file")
    result = cli(*given, "-o", folder / "p.yaml")
    assert result.exit_code == 2 and said in flat(result.output), result.output
    assert not (folder / "p.yaml").exists()


def test_texts_of_others_stay_in_comments(folder):
    hostile = 'x"}\nprivacy: {k: 1}\n# '
    shape = {"type": hostile, hostile: "${HOME}"}
    roles = {"age": {"role": "quasi-identifying", "hierarchy": shape}, hostile: "sensitive"}
    _, columns, text = proposed(folder, "--dbt", manifest(folder, **roles))
    assert columns["age"]["hierarchy"] == shape
    assert yaml.safe_load((folder / "policy.yaml").read_text())["privacy"]["k"] == 10, text
    result = cli("init", folder / "shop.duckdb", "patients", "--dbt", "a", "--contract", "b")
    ended(result, 2, "alone")
