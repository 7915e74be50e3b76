{# A view over a table that travels to the clean writer, as it will be released.
   in: name, and what engines/duckdb/clean_rows takes
   out: the view #}
CREATE OR REPLACE VIEW {{ name | ident }} AS
{% include 'engines/duckdb/clean_rows.sql' %}
