{# Where the view of what every cell can be is not what the released tables say, as multisets of
   rows: column by column, and what it has of any other column.
   grain: one row
   in: view, table (the rows), record, shown (for every column its name; label: the column of the
       rows as it is released, with its bucket's column or none; bucket: its table, column as it is
       there, bucket, count: names of columns; none where it has no such), names (of all columns)
   out: (distinct rows whose number differs, by how many rows in all) #}
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
{% for each in shown %}
    SELECT SUM(b.n) AS surplus
    FROM (
    {% if each.label is not none %}
        SELECT
            r.{{ record | ident }} AS row_number_own,
            CAST(r.{{ each.label.column.name | ident }} AS VARCHAR) AS word,
            CAST(1 AS DOUBLE) AS share,
            1 AS n
        FROM {{ table | ident }} AS r
        {% if each.label.bucket is not none %}
        WHERE r.{{ each.label.bucket | ident }} IS NULL
        {% endif %}
        UNION ALL
    {% endif %}
    {% if each.bucket is not none %}
        SELECT
            r.{{ record | ident }} AS row_number_own,
            {{ each.bucket | text('s', each.bucket.column.name) }} AS word,
            CAST(s.{{ each.bucket.count | ident }} AS DOUBLE) / CAST(w.own_rows AS DOUBLE) AS share,
            1 AS n
        FROM {{ each.bucket.table | ident }} AS s
        JOIN (
            SELECT
                b.{{ each.bucket.bucket | ident }} AS own_bucket,
                CAST(SUM(b.{{ each.bucket.count | ident }}) AS BIGINT) AS own_rows
            FROM {{ each.bucket.table | ident }} AS b
            GROUP BY b.{{ each.bucket.bucket | ident }}
        ) AS w ON w.own_bucket = s.{{ each.bucket.bucket | ident }}
        JOIN {{ table | ident }} AS r
            ON r.{{ each.bucket.bucket | ident }} = s.{{ each.bucket.bucket | ident }}
        UNION ALL
    {% endif %}
        SELECT v.record_id, v.value, v.probability, -1
        FROM {{ view | ident }} AS v
        WHERE v.column_name = {{ each.name | literal }}
    ) AS b
    GROUP BY b.row_number_own, b.word, b.share
    HAVING SUM(b.n) <> 0
    UNION ALL
{% endfor %}
    SELECT -1 AS surplus
    FROM {{ view | ident }} AS v
    WHERE v.column_name IS NULL OR v.column_name NOT IN ({{ names | literals }})
) AS d
