{# The rows of a ledger, present or next.
   in: table, and what engines/duckdb/clean_rows takes
   out: the table #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}
