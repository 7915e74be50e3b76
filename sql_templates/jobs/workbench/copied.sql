{# A table of whole numbers and losses that was carried from the engine.
   in: table, and what engines/duckdb/clean_rows takes
   out: the table on the workbench #}
CREATE TABLE {{ table | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}
