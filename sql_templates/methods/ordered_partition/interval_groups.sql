{# What is released of each class of an ordered partition: a single value as it is, an interval by
   the first and last value that rows of any class there have, the whole domain with NULL as *.
   grain: one row per class
   in: kept, assigned, intervals, dim_<index>, attributes
   out: table groups(grp, n, for each attribute v<i> released label, leaves<i> and present<i> in it,
       first<i> and last<i>: codes of its ends, lo<i> and hi<i> where it has bounds) #}
{% from 'methods/ordered_partition/macros.sql' import interval_label %}
CREATE TABLE groups AS
SELECT
    k.grp, k.n
{% for a in attributes %}
    {% set ends = ['b' ~ a.index, 'v0'], ['e' ~ a.index, 'v0'] %}
    , {{ interval_label(a, ['s' ~ a.index, 'mixed'], *ends) }} AS v#
    , CASE WHEN s#.mixed THEN b#.leaves ELSE e#.place - b#.place + 1 END AS leaves#
    , CASE WHEN s#.mixed THEN s#.whole ELSE s#.present END AS present#
    , b#.code AS first#, e#.code AS last#
    {% if a.bounds_type %}
    , CASE WHEN NOT s#.mixed THEN b#.lo0 END AS lo#
    , CASE WHEN NOT s#.mixed THEN e#.hi0 END AS hi#
    {% endif %}
{% endfor %}
FROM kept AS k
{% for a in attributes %}
JOIN (
    SELECT
        x.part,
        COUNT(*) AS whole,
        MAX(CASE WHEN x.released IS NOT NULL THEN x.rank END)
            - MIN(CASE WHEN x.released IS NOT NULL THEN x.rank END) + 1 AS present,
        MIN(x.released) = 0 AND COUNT(x.released) > 1 AS mixed,
        MAX(CASE WHEN x.from_first = 1 THEN x.code END) AS first,
        MAX(CASE WHEN x.from_last = 1 THEN x.code END) AS last
    FROM (
        SELECT
            p.part, p.code, p.rank, q.code AS released,
            ROW_NUMBER() OVER (PARTITION BY p.part ORDER BY
                CASE WHEN q.code IS NULL THEN 1 ELSE 0 END NULLS FIRST,
                p.rank NULLS FIRST) AS from_first,
            ROW_NUMBER() OVER (PARTITION BY p.part ORDER BY
                CASE WHEN q.code IS NULL THEN 1 ELSE 0 END NULLS FIRST,
                p.rank DESC NULLS LAST) AS from_last
        FROM intervals AS p
        LEFT JOIN (SELECT DISTINCT t.c# AS code FROM assigned AS t) AS q ON q.code = p.code
        WHERE p.node = 0 AND p.attribute = #
    ) AS x
    GROUP BY x.part
) AS s# ON s#.part = k.r#
{% for side, end in [('b', 'first'), ('e', 'last')] %}
JOIN (
    {% include 'methods/refinement/ordered.sql' %}
) AS {{ (side ~ a.index) | ident }}
    ON {{ (side ~ a.index) | ident }}.code = s#.{{ end | ident }}
{% endfor %}
{% endfor %}
