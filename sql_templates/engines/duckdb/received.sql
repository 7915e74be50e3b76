{# A table that another engine carried to the workbench.
   in: table, and what engines/duckdb/clean_rows takes
   out: the table #}
CREATE TABLE {{ table | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}
