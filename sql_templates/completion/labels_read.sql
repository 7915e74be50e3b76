{# grain: one row per column and released value
   in: table, positions (of the columns), labels, ends (see completion/labels)
   out: (position, value, rows, label1 …, lo1, hi1 …), in order #}
SELECT v.position, v.value, v.n{{ labels | each(', v.label$') }}{{ ends | each(', v.lo$, v.hi$') }}
FROM {{ table | ident }} AS v
WHERE v.position IN ({{ positions | literals }})
ORDER BY v.position, v.value
