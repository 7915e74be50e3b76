{# Cells with noise by their keys (anonsql.statistics.perturbation). Of a cell that has 0 people then,
   all else is 0, too: it would tell that somebody is there.
   grain: one row per cell
   in: cells (a table: cell, the counts, ck, and of every measure m<index>, x<index>_1, x<index>_2 in
       whole units), counts (people first), measures (their indexes), cell_streams(cell, the counts,
       and of each measure and rank m<index>_1, m<index>_2), perturbation(i, lo, hi, d),
       greatest_class (the greatest i), factors(lo, f1, f2; of each measure)
   out: table changed(cell, the counts, m<index>) #}
{% from 'statistics/macros.sql' import times %}
CREATE TABLE changed AS
SELECT
    t.cell,
    t.people + p1.d AS people
    {% for name in counts[1:] %}
    , CASE
        WHEN t.people + p1.d = 0 THEN 0
        ELSE {{ ['t', name] | ident }} + {{ ['p' ~ (loop.index + 1), 'd'] | ident }}
    END AS {{ name | ident }}
    {% endfor %}
    {% for a in measures %}
    , CASE
        WHEN t.people + p1.d = 0 THEN 0
        ELSE t.m# + {{ times(['t', 'x' ~ a ~ '_1'], ['f' ~ a, 'f1']) }}
            + {{ times(['t', 'x' ~ a ~ '_2'], ['g' ~ a, 'f2']) }}
    END AS m#
    {% endfor %}
FROM (
    SELECT
        k.cell, {{ counts | idents('k') }},
        {% for name in counts %}
        {{ ['k', 'i' ~ loop.index] | ident }}, {{ ['k', 'y' ~ loop.index] | ident }},
        {% endfor %}
        {% for a in measures %}
        k.m#, k.x#_1, k.x#_2, k.z#_1 - k.z#_1 % 4194304 AS lo#_1, k.z#_2 - k.z#_2 % 4194304 AS lo#_2,
        {% endfor %}
        k.ck
    FROM (
        SELECT
            c.cell, {{ counts | idents('c') }},
            {% for name in counts %}
            CASE
                WHEN {{ ['c', name] | ident }} > {{ greatest_class | integer }}
                THEN {{ greatest_class | integer }}
                ELSE {{ ['c', name] | ident }}
            END AS {{ ('i' ~ loop.index) | ident }},
            {{ ['z', name] | ident }} AS {{ ('y' ~ loop.index) | ident }},
            {% endfor %}
            {% for a in measures %}
            c.m#, COALESCE(c.x#_1, 0) AS x#_1, COALESCE(c.x#_2, 0) AS x#_2,
            z.m#_1 AS z#_1, z.m#_2 AS z#_2,
            {% endfor %}
            c.ck
        FROM {{ cells | ident }} AS c
        JOIN cell_streams AS z ON z.cell = c.cell
    ) AS k
) AS t
{% for name in counts %}
JOIN perturbation AS {{ ('p' ~ loop.index) | ident }}
    ON {{ ['p' ~ loop.index, 'i'] | ident }} = {{ ['t', 'i' ~ loop.index] | ident }}
    AND {{ ['p' ~ loop.index, 'lo'] | ident }} <= {{ ['t', 'y' ~ loop.index] | ident }}
    AND {{ ['t', 'y' ~ loop.index] | ident }} < {{ ['p' ~ loop.index, 'hi'] | ident }}
{% endfor %}
{% for a in measures %}
JOIN factors AS f# ON f#.lo = t.lo#_1
JOIN factors AS g# ON g#.lo = t.lo#_2
{% endfor %}
