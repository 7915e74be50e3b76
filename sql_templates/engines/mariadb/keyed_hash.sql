{# in: what engines/duckdb/keyed_hash asks for
   out: as that has it #}
{% include 'engines/duckdb/keyed_hash.sql' %}
