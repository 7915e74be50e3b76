{# What classes there can be whose rows all have one value of a column, and how far they are from the
   whole table by a distance. Such a class is the likelier to have enough rows the more it has: each
   is judged with all rows of its value.
   grain: one row
   in: a (what has the index of a coded column), promise (k and the other models of the column),
       height (of its hierarchy), nearest (a template of code, share and distance for each value:
       none where no distance is asked for) and what that takes, bound (a distance), values_<index>
       and what the models take; combinations where the promise counts people
   out: (values of the column, the share of the commonest, the greatest distance of a value; of the
       values that a class which keeps the promise can have alone: the least distance, how many are
       no farther than `bound`, and their rows; NULL distances where there is one value alone) #}
{% set own = a.index %}
WITH single_classes AS (
    {% if promise.people %}
    SELECT
        COALESCE(v.code, 0) AS single,
        COALESCE(v.code, 0) AS {{ ('x' ~ own) | ident }},
        {% if promise.people != own %}
        COALESCE(w.code, 0) AS {{ ('x' ~ promise.people) | ident }},
        {% endif %}
        CAST(SUM(t.n) AS BIGINT) AS n
    FROM combinations AS t
    LEFT JOIN {{ ('values_' ~ own) | ident }} AS v ON v.value = t.{{ ('q' ~ own) | ident }}
    {% if promise.people != own %}
    LEFT JOIN {{ ('values_' ~ promise.people) | ident }} AS w
        ON w.value = t.{{ ('q' ~ promise.people) | ident }}
    {% endif %}
    WHERE t.n > 0
    GROUP BY COALESCE(v.code, 0){% if promise.people != own %}, COALESCE(w.code, 0){% endif +%}
    {% else %}
    SELECT v.code AS single, v.code AS {{ ('x' ~ own) | ident }}, v.n
    FROM {{ ('values_' ~ own) | ident }} AS v
    {% endif %}
)
SELECT
    COUNT(*) AS own_values,
    MAX(s.share) AS commonest,
    MAX(s.distance) AS farthest,
    MIN(CASE WHEN c.ok THEN s.distance END) AS nearest,
    COUNT(CASE WHEN c.ok AND s.distance <= {{ bound | number }} THEN 1 END) AS near,
    CAST(COALESCE(SUM(CASE WHEN c.ok AND s.distance <= {{ bound | number }} THEN c.n END), 0)
        AS BIGINT) AS near_rows
FROM (
    {% if nearest is none %}
    SELECT v.code, v.share, CAST(NULL AS DOUBLE) AS distance
    FROM {{ ('values_' ~ own) | ident }} AS v
    {% else %}
    {% include nearest ~ '.sql' +%}
    {% endif %}
) AS s
JOIN (
    {% with table = 'single_classes', keys = ['single'] %}{% include 'privacy/classes.sql' %}
    {% endwith +%}
) AS c ON c.single = s.code
