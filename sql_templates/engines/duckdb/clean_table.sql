{# in: table, and what engines/duckdb/clean_rows takes
   out: the released table, rows in the file's order #}
CREATE TABLE release.main.{{ table | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}
