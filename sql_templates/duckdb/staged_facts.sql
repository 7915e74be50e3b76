{# in: table, and what duckdb/clean_rows takes
   out: the table #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
{% include 'duckdb/clean_rows.sql' %}
