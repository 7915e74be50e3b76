{# Write a table of a release to a Parquet file, without filters that verification cannot hold
   against the rows.
   in: file to write, facts [(key, value)] for its metadata, and what engines/duckdb/clean_sorted
       takes
   out: the released file, its rows in that order #}
COPY (
{% include 'engines/duckdb/clean_sorted.sql' %}
) TO {{ file | literal }} (
    FORMAT PARQUET, COMPRESSION ZSTD, WRITE_BLOOM_FILTER FALSE
{% if facts %}
    , KV_METADATA {
        {% for key, value in facts %}
        {{ key | ident }}: {{ value | literal }}{% if not loop.last %}, {% endif %}
        {% endfor %}
        }
{% endif %}
)
