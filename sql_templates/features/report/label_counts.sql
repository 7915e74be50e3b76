{# How many released rows have which label of a column.
   grain: one row per label
   in: table (released rows), labels_<index>(label, word), a (attribute), bucket (the column that is
       known where the label is withheld, or none)
   out: (label, rows); a label that is NULL has the number 0; withheld ones are left out #}
SELECT COALESCE(l#.label, 0) AS label, CAST(COUNT(*) AS BIGINT) AS n
FROM {{ table | ident }} AS r
LEFT JOIN {{ a | sql('labels_# AS l# ON l#.word = CAST(r.@ AS VARCHAR)') }}
{% if bucket %}
WHERE r.{{ bucket | ident }} IS NULL
{% endif %}
GROUP BY COALESCE(l#.label, 0)
