{# Write a CSV release that was read as a run would have written it.
   in: file to write, table, columns (name)
   out: the file, its rows in the order of the table #}
COPY (
    SELECT {{ columns | idents('r') }} FROM {{ table | ident }} AS r
) TO {{ file | literal }} (
{% include 'engines/duckdb/csv_form.sql' %}
)
