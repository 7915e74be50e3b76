{# Write a table of a release to a Parquet file, without filters that verification cannot hold
   against the rows.
   in: file to write, facts [(key, value)] for its metadata, and what engines/duckdb/clean_rows
       takes
   out: the released file, its rows in the order of the exported file #}
COPY (
{% include 'engines/duckdb/clean_rows.sql' %}
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
