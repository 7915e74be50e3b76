{# The values that labels of a column drew and that neither lie between the label's bounds nor are
   its own text: these are read one by one.
   grain: one row per label, with its bounds, and value
   in: c (a completed column with labels), drawn (a table, see completion/drawn),
       completed_labels_<index>, completed_tokens_<index>
   out: (label, lo, hi, value) #}
SELECT DISTINCT
    l.label,
    {% if c.held.lo %}l.lo, l.hi{% else %}NULL AS lo, NULL AS hi{% endif %},
    d.value
FROM (
    SELECT DISTINCT {{ c | sql('p.t# AS token, p.v# AS value') }}
    FROM {{ drawn | ident }} AS p
    {% if c.bucketed %}
    WHERE {{ c | sql('p.g#') }} IS NULL
    {% endif %}
) AS d
JOIN {{ ('completed_tokens_' ~ c.index) | ident }} AS t ON t.token = d.token
JOIN {{ ('completed_labels_' ~ c.index) | ident }} AS l ON l.value = t.value
WHERE
    {% if c.held.lo %}
    CASE WHEN d.value >= l.lo AND d.value < l.hi THEN 1 ELSE 0 END = 0
    {% else %}
    COALESCE('=' || CAST(d.value AS VARCHAR), '') <> l.key1
    {% endif %}
