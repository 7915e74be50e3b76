{# The label of a cell in one dimension.
   grain: one row
   in: cells, vector_levels (v, l<index>: the level), groups, attribute, cell (its number)
   out: label #}
SELECT g.label
FROM cells AS t
JOIN vector_levels AS w ON w.v = t.v
JOIN groups AS g ON g.attribute = {{ attribute.index | integer }}
    AND {{ attribute | sql('g.level = w.l# AND g.code = t.c#') }}
WHERE t.cell = {{ cell | integer }}
