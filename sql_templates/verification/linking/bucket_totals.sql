{# The values of a column in all its buckets beside the sensitive cells of the source.
   grain: one row
   in: judged_buckets_<j>, linked_cells, linked_tuples, j, facet (of the values), label (the facet
       of the column's labels, where it is sensitive to some rows only, or none), stars (numbers of
       labels that are *)
   out: (values in buckets, sensitive cells of the source, values in buckets that are more than
       those, released cells that are hidden) #}
SELECT
    (SELECT CAST(COALESCE(SUM(b.n), 0) AS BIGINT)
        FROM {{ ('judged_buckets_' ~ j) | ident }} AS b) AS held,
    (SELECT CAST(COALESCE(SUM(c.n), 0) AS BIGINT)
        FROM linked_cells AS c{% if label %} WHERE c.{{ ('v' ~ label) | ident }} =
        -2{% endif %}) AS sensitive,
    (
        SELECT CAST(COALESCE(SUM(s.surplus), 0) AS BIGINT)
        FROM (
            SELECT SUM(u.n) AS surplus
            FROM (
                SELECT b.x, b.n FROM {{ ('judged_buckets_' ~ j) | ident }} AS b
                UNION ALL
                SELECT c.{{ ('v' ~ facet) | ident }} AS x, -c.n AS n
                FROM linked_cells AS c
                {% if label %}
                WHERE c.{{ ('v' ~ label) | ident }} = -2
                {% endif %}
            ) AS u
            GROUP BY u.x
        ) AS s
        WHERE s.surplus > 0
    ) AS surplus,
    {% if label and stars %}
    (
        SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT)
        FROM linked_tuples AS t
        WHERE t.{{ ('v' ~ label) | ident }} IN ({{ stars | literals }})
    ) AS hidden
    {% else %}
    CAST(0 AS BIGINT) AS hidden
    {% endif %}
