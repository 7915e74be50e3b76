{# in: table, and what engines/duckdb/clean_sorted takes
   out: the released table, rows in that order #}
CREATE TABLE release.main.{{ table | ident }} AS
{% include 'engines/duckdb/clean_sorted.sql' %}
