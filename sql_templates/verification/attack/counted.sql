{# How many values the data has of a column, and how wide they lie: from the least to the greatest
   number, those aside that a double does not hold.
   grain: one row
   in: a (attribute), dim_<index>, widest (the greatest number that is measured; none where the
       values are no numbers)
   out: (values, NULL one of them; width or NULL) #}
{% from 'verification/attack/macros.sql' import present %}
SELECT
    COUNT(*) AS counted,
    {% if widest is none %}
    CAST(NULL AS DOUBLE) AS width
    {% else %}
    MAX(CASE WHEN d.value BETWEEN -{{ widest | integer }}
        AND {{ widest | integer }} THEN CAST(d.value AS DOUBLE) END)
        - MIN(CASE WHEN d.value BETWEEN -{{ widest | integer }}
            AND {{ widest | integer }} THEN CAST(d.value AS DOUBLE) END) AS width
    {% endif %}
FROM dim_# AS d
WHERE ({{ present(a) }})
