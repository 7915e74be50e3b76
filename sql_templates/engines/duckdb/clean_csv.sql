{# Write the rows of a release to a CSV file as RFC 4180 has it, in UTF-8, lines ended by a line
   feed: NULL is an empty field without quotes, an empty text one with quotes.
   in: file to write, and what engines/duckdb/clean_sorted takes
   out: the released file, its rows in that order #}
COPY (
{% include 'engines/duckdb/clean_sorted.sql' %}
) TO {{ file | literal }} (
{% include 'engines/duckdb/csv_form.sql' %}
)
