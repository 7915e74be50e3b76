{# The rows of one published table. Their order goes by levels and labels (byte by byte), which are
   published: that of groups' codes would reveal which values the source has.
   grain: one row per cell of the table that is not gone
   in: cells, shown (the table of the values: cells, or what they were changed to), hidden_flags
       (cell, gone: 1 where it is no row, h<position> of every measure: 0 shown, 1 hidden, and of every
       ratio r<position>, its value, and s<position>: 0 shown, 1 hidden), status (of those that are
       shown), groups,
       table_vectors (t: the table, v, l<index>: the level), attributes (of the table), measures
       (name, column of cells, scale, unit, type), ratios (the same), number (of the table), ordering
   out: label and level of every dimension, value and status of every measure, and the ordering #}
{% from 'statistics/macros.sql' import value %}
SELECT
{% for a in attributes %}
    CASE WHEN w.l# = {{ a.height | integer }} THEN '*' ELSE u#.label END AS {{ a.name | ident }},
    CAST(w.l# AS INTEGER) AS {{ (a.name ~ '_level') | ident }},
{% endfor %}
{% for m in measures %}
    {{ value(m, ['x', m.counted], ['h', 'h' ~ loop.index], status) }}
{% endfor %}
{% for m in ratios %}
    {{ value(m, ['h', 'r' ~ loop.index], ['h', 's' ~ loop.index], status) }}
{% endfor %}
    ROW_NUMBER() OVER (ORDER BY
    {% for a in attributes %}
        w.l# NULLS FIRST, u#.label COLLATE "C" NULLS FIRST{% if not loop.last %},{% endif +%}
    {% endfor %}
    ) AS {{ ordering | ident }}
FROM cells AS t
JOIN {{ shown | ident }} AS x ON x.cell = t.cell
JOIN hidden_flags AS h ON h.cell = t.cell AND h.gone = 0
JOIN table_vectors AS w ON w.v = t.v AND w.t = {{ number | integer }}
{% for a in attributes %}
LEFT JOIN groups AS u# ON u#.attribute = # AND u#.level = w.l# AND u#.code = t.c#
{% endfor %}
