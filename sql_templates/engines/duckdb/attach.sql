{# in: path of a DuckDB file, name
   out: its tables under that name, read-only #}
ATTACH {{ path | literal }} AS {{ name | ident }} (READ_ONLY)
