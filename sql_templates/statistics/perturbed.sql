{# Cells with noise by their keys (anonsql.statistics.perturbation). Of a cell that has 0 people then,
   sums are 0, too: others would tell that somebody is there.
   grain: one row per cell
   in: cells (a table: v, c<index>, people, ck, and of every measure m<index>, x<index>_1,
       x<index>_2 in whole units), dimensions (their indexes), measures (their indexes), streams {of
       what: number}: people, and of each measure and rank m<index>_1, m<index>_2,
       cell_streams(a<number>, b<number>: one row), perturbation(i, lo, hi, d), greatest_class (the
       greatest i), factors(lo, f1, f2; of each measure)
   out: table perturbed(v, c<index>, people, m<index>) #}
{% from 'statistics/macros.sql' import stream, times %}
CREATE TABLE perturbed AS
SELECT
    t.v,
    {{ dimensions | each('t.c#,') }}
    t.people + p.d AS people
    {% for a in measures %}
    , CASE
        WHEN t.people + p.d = 0 THEN 0
        ELSE t.m# + {{ times(['t', 'x' ~ a ~ '_1'], ['f' ~ a, 'f1']) }}
            + {{ times(['t', 'x' ~ a ~ '_2'], ['g' ~ a, 'f2']) }}
    END AS m#
    {% endfor %}
FROM (
    SELECT
        k.v, k.people, k.i, k.y,
        {{ dimensions | each('k.c#,') }}
        {% for a in measures %}
        k.m#, k.x#_1, k.x#_2, k.y#_1 - k.y#_1 % 4194304 AS lo#_1, k.y#_2 - k.y#_2 % 4194304 AS lo#_2,
        {% endfor %}
        k.ck
    FROM (
        SELECT
            c.v, c.people, c.ck,
            {{ dimensions | each('c.c#,') }}
            {% for a in measures %}
            c.m#, COALESCE(c.x#_1, 0) AS x#_1, COALESCE(c.x#_2, 0) AS x#_2,
            {{ stream(streams['m' ~ a ~ '_1']) }} AS y#_1,
            {{ stream(streams['m' ~ a ~ '_2']) }} AS y#_2,
            {% endfor %}
            CASE
                WHEN c.people > {{ greatest_class | integer }} THEN {{ greatest_class | integer }}
                ELSE c.people
            END AS i,
            {{ stream(streams['people']) }} AS y
        FROM {{ cells | ident }} AS c
        CROSS JOIN cell_streams AS z
    ) AS k
) AS t
JOIN perturbation AS p ON p.i = t.i AND p.lo <= t.y AND t.y < p.hi
{% for a in measures %}
JOIN factors AS f# ON f#.lo = t.lo#_1
JOIN factors AS g# ON g#.lo = t.lo#_2
{% endfor %}
