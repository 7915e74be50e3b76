{# What every row can be, one cell after another: a released label is certain, a withheld value is
   each of its bucket's with its share of the bucket. It names columns and tables alone, so that it
   tells no more than these.
   grain: one row per row of the release, column and value that the row can have there
   in: tables (relations by part), record (the column that tells rows apart), shown (columns of the
       rows: column, bucket: the column that has a bucket where the cell is withheld, or none),
       buckets (bucketized columns: column, bucket, count: columns of the table part)
   out: (record_id, column_name, value as text, probability) #}
{% for each in shown %}
SELECT
    r.{{ record | ident }} AS record_id,
    {{ each.column.name | literal }} AS column_name,
    {{ each | text('r', each.column.name) }} AS value,
    CAST(1 AS DOUBLE) AS probability
FROM {{ tables['rows'] | ident }} AS r
{% if each.bucket is not none %}
WHERE r.{{ each.bucket | ident }} IS NULL
{% endif %}
{% if buckets or not loop.last %}UNION ALL{% endif +%}
{% endfor %}
{% for each in buckets %}
SELECT
    r.{{ record | ident }} AS record_id,
    {{ each.column.name | literal }} AS column_name,
    {{ each | text('b', 'own_value') }} AS value,
    CAST(b.own_count AS DOUBLE) / CAST(b.own_size AS DOUBLE) AS probability
FROM {{ tables['rows'] | ident }} AS r
JOIN (
    SELECT
        s.{{ each.bucket | ident }} AS own_bucket,
        s.{{ each.column.name | ident }} AS own_value,
        s.{{ each.count | ident }} AS own_count,
        SUM(s.{{ each.count | ident }}) OVER (PARTITION BY s.{{ each.bucket | ident }}) AS own_size
    FROM {{ tables[each.part] | ident }} AS s
) AS b ON b.own_bucket = r.{{ each.bucket | ident }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
