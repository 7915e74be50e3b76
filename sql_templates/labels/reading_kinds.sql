{# Which kinds of readings some labels have, and whether any has bounds.
   grain: one row
   in: table (of readings), labels_asked
   out: (spans, names, limits: how many) #}
SELECT
    COUNT(*) FILTER (WHERE r.kind = 'span') AS spans,
    COUNT(*) FILTER (WHERE r.kind = 'names') AS names,
    (SELECT COUNT(*) FROM labels_asked AS a WHERE a.lo IS NOT NULL OR a.hi IS NOT NULL) AS limits
FROM {{ table | ident }} AS r
