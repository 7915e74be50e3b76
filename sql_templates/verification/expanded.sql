{# Where the view of what every cell can be is not what the released tables say, as multisets of
   rows.
   grain: one row
   in: view, table (the rows), record, labels (columns of the rows: coded column as it is released,
       its bucket's column or none), buckets (table, column as it is there, bucket, count: names of
       columns)
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH both_sides AS (
{% for each in labels %}
    SELECT
        r.{{ record | ident }} AS row_number_own,
        {{ each.column.name | literal }} AS cell,
        CAST(r.{{ each.column.name | ident }} AS VARCHAR) AS word,
        CAST(1 AS DOUBLE) AS share,
        1 AS n
    FROM {{ table | ident }} AS r
    {% if each.bucket is not none %}
    WHERE r.{{ each.bucket | ident }} IS NULL
    {% endif %}
    UNION ALL
{% endfor %}
{% for each in buckets %}
    SELECT
        r.{{ record | ident }},
        {{ each.column.name | literal }},
        {{ each | text('s', each.column.name) }},
        CAST(s.{{ each.count | ident }} AS DOUBLE) / CAST(w.own_rows AS DOUBLE),
        1
    FROM {{ each.table | ident }} AS s
    JOIN (
        SELECT
            b.{{ each.bucket | ident }} AS own_bucket,
            CAST(SUM(b.{{ each.count | ident }}) AS BIGINT) AS own_rows
        FROM {{ each.table | ident }} AS b
        GROUP BY b.{{ each.bucket | ident }}
    ) AS w ON w.own_bucket = s.{{ each.bucket | ident }}
    JOIN {{ table | ident }} AS r ON r.{{ each.bucket | ident }} = s.{{ each.bucket | ident }}
    UNION ALL
{% endfor %}
    SELECT v.record_id, v.column_name, v.value, v.probability, -1
    FROM {{ view | ident }} AS v
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY b.row_number_own, b.cell, b.word, b.share
    HAVING SUM(b.n) <> 0
) AS d
