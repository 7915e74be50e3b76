"""A PostgreSQL database in which somebody planted a namesake of whatever statements may name.

Functions, operators, types and relations of the server's catalog have namesakes in two schemas of
the path, with the same arguments and with others that fit better. Each of them fails when it is
used.
"""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import psycopg
from sqlalchemy.dialects.postgresql import base
from sqlalchemy.dialects.postgresql import psycopg as driver

from anonsql.sql import templates, translation

_ONE = ["text", "varchar", "name", "int4", "int8", "numeric", "float8", "bool", "date", "text[]"]
_TWO = ["text,text", "text,int4", "int4,int4", "int8,int4", "text[],text", "name,text", "text,bool"]
_TWO += ["varchar,text", "oid,text", "numeric,int4", "varchar,varchar", "int8,int8"]
_THREE = ["text,text,bool", "text,text,text", "text,int4,int4", "name,oid,text", "text,text,int4"]
_TYPES = ["text", "name", "date", "uuid", "oid", "regclass", "bytea", "regproc", "numeric", "int8"]

# every statement runs in a transaction of its own within the block: what cannot be made is left out
_EACH = """
DO $outer$ DECLARE each pg_catalog.text; BEGIN
    FOREACH each IN ARRAY %s::pg_catalog.text[] LOOP
        BEGIN EXECUTE each; EXCEPTION WHEN OTHERS THEN NULL; END;
    END LOOP;
END $outer$
"""


def words():
    """Every word and every operator that a statement may hold."""
    files = [*templates.folder("sql_templates").glob("**/*.sql")]
    files += [Path(module.__file__) for module in (translation, base, driver)]
    files += Path(psycopg.__file__).parent.glob("*.py")
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return set(re.findall(r"[a-z_][a-z0-9_]*", text.lower()))


class Planted:
    """The database, a role that anonymizes in it, and one that may create in two of its schemas."""

    name = "postgres"

    def __init__(self, url, folder):
        word = uuid.uuid4().hex[:8]
        self.folder, self.source, self.release = folder, "src", "out"
        self.admin = psycopg.connect(url, autocommit=True)
        self.database, self.me, self.other = f"planted_{word}", f"a_{word}", f"e_{word}"
        self.admin.execute(f"CREATE DATABASE {self.database}")
        for role in (self.me, self.other):
            self.admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'pw'")
        self.url = self._as(url, self.me)
        self.connection = psycopg.connect(self._as(url, None), autocommit=True)
        self.connection.execute(
            f"CREATE SCHEMA src; GRANT CREATE, USAGE ON SCHEMA public, src TO {self.other};"
            f"GRANT USAGE ON SCHEMA src, public TO {self.me};"
            f"GRANT CREATE ON DATABASE {self.database} TO {self.me};"
            f"ALTER ROLE {self.me} SET search_path = public, src, pg_catalog"
        )
        with psycopg.connect(self._as(url, self.other), autocommit=True) as connection:
            self.planted = plant(connection)

    def _as(self, url, role):
        scheme, _, rest = url.partition("://")
        login, _, rest = rest.rpartition("@")
        login = f"{role}:pw" if role else login
        return f"{scheme}://{login}@" + re.sub(r"^([^/]*)/[^?]*", rf"\1/{self.database}", rest)

    def make(self, columns, rows, table="t"):
        """The source, which its owner lets the anonymizer read."""
        types = {"DOUBLE": "double precision", "BLOB": "bytea"}
        definitions = ", ".join(
            f'"{name}" {types.get(kind, kind)}' for name, kind in columns.items()
        )
        self.connection.execute("SET search_path = pg_catalog")
        self.connection.execute(
            f"DROP TABLE IF EXISTS src.{table}; CREATE TABLE src.{table} ({definitions});"
            f"GRANT SELECT ON src.{table} TO {self.me}"
        )
        with (
            self.connection.cursor() as cursor,
            cursor.copy(f"COPY src.{table} FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def places(self, table="t"):
        return {"database": self.url, "table": f"src.{table}"}, {
            "database": self.url,
            "table": "out.r",
        }

    def close(self):
        self.connection.close()
        self.admin.execute(f"DROP DATABASE {self.database} WITH (FORCE)")
        self.admin.execute(f"DROP ROLE {self.me}; DROP ROLE {self.other}")
        self.admin.close()


def plant(connection):
    """Make all namesakes; gives the names of the functions."""
    connection.execute("SET search_path = pg_catalog")
    known = words()
    functions = connection.execute(
        "SELECT p.proname, array_to_string(p.proargtypes::regtype[], ','),"
        " p.prorettype::regtype::text FROM pg_proc AS p WHERE p.pronamespace ="
        " 'pg_catalog'::regnamespace"
    ).fetchall()
    functions = [item for item in functions if item[0] in known]
    returns = {name: kind for name, _, kind in functions}
    same = {(name, arguments): kind for name, arguments, kind in functions}
    better = {
        (name, arguments): kind
        for name, kind in returns.items()
        for arguments in ("", *_ONE, *_TWO, *_THREE)
    }
    operators = connection.execute(
        "SELECT o.oprname, o.oprleft::regtype::text, o.oprright::regtype::text,"
        " o.oprresult::regtype::text FROM pg_operator AS o WHERE o.oprname IN ('=', '<>', '<',"
        " '<=', '>', '>=', '||', '+', '-', '*', '/', '%', '~~', '!~~', '~', '&', '|', '<<', '>>',"
        " '^', '@>') AND o.oprleft <> 0"
    ).fetchall()
    relations = connection.execute(
        "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'pg_catalog'::regnamespace AND"
        " c.relkind IN ('r', 'v')"
    ).fetchall()
    statements = []
    for schema, wanted in (("public", {**better, **same}), ("src", same)):
        statements.append(_function(f"{schema}.stolen", "text", "bool", "STOLEN"))
        statements += [
            _function(f'{schema}."{name}"', arguments, kind, name)
            for (name, arguments), kind in wanted.items()
        ]
        for number, (name, left, right, result) in enumerate(dict.fromkeys(operators)):
            function = f"{schema}.op_{number}"
            statements.append(_function(function, f"{left},{right}", result, name))
            statements.append(
                f"CREATE OPERATOR {schema}.{name} (LEFTARG = {left}, RIGHTARG = {right}, FUNCTION ="
                f" {function})"
            )
        statements += [
            f"CREATE VIEW {schema}.{name} AS SELECT * FROM pg_catalog.{name} WHERE"
            f" {schema}.stolen('{name}')"
            for (name,) in relations
            if name in known
        ]
        statements += [
            f"CREATE DOMAIN {schema}.{name} AS pg_catalog.{name} CHECK ({schema}.stolen('{name}'))"
            for name in _TYPES
        ]
    connection.execute(_EACH.replace("%s", _array(statements)))
    return set(returns)


def _function(name, arguments, returns, text):
    body = f"BEGIN RAISE EXCEPTION ''PLANTED {text.replace(chr(39), '')}''; END"
    return f"CREATE FUNCTION {name}({arguments}) RETURNS {returns} LANGUAGE plpgsql AS '{body}'"


def _array(texts):
    return "ARRAY[" + ", ".join("$q$" + text + "$q$" for text in texts) + "]"
