{# What of the groups of local generalization is not as it should be, on the release alone.
   grain: one row
   in: table, record, group (columns of numbers), cells (labels and bounds), buckets (columns of
       bucket numbers), bounded (each bounds column of a column that has buckets, with that of its
       bucket)
   out: (rows without a number of their own or a group, rows whose number is not one of 1 to the
       number of rows, rows that have bounds where they have a bucket, groups whose rows differ in
       what is released or in what is withheld) #}
SELECT
    (
        SELECT COUNT(*) - COUNT(DISTINCT
            CASE WHEN t.{{ group | ident }} IS NOT NULL THEN t.{{ record | ident }} END)
        FROM {{ table | ident }} AS t
    ) AS nameless,
    (
        SELECT COUNT(*)
        FROM {{ table | ident }} AS t
        CROSS JOIN (SELECT COUNT(*) AS n FROM {{ table | ident }} AS o) AS s
        WHERE t.{{ record | ident }} < 1 OR t.{{ record | ident }} > s.n
    ) AS misnumbered,
    (
        SELECT COUNT(*)
        FROM {{ table | ident }} AS t
        WHERE FALSE
        {% for bound, bucket in bounded %}
            OR (t.{{ bound | ident }} IS NOT NULL AND t.{{ bucket | ident }} IS NOT NULL)
        {% endfor %}
    ) AS told_twice,
    (
        SELECT COUNT(*) - COUNT(DISTINCT d.{{ group | ident }})
        FROM (
            SELECT DISTINCT
                t.{{ group | ident }}
                {{ cells | each(', t.@') }}
                {{ buckets | each(', CASE WHEN t.@ IS NULL THEN 1 ELSE 0 END AS empty_$') }}
            FROM {{ table | ident }} AS t
            WHERE t.{{ group | ident }} IS NOT NULL
        ) AS d
    ) AS unlike
