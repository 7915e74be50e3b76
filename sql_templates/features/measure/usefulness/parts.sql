{# The rows of a completed table by what a column is counted by: its values, or the bins of numbers
   and dates.
   grain: one row per value or bin
   in: completed (table), c (column), ordered (whether by bins), useful_cuts_<index> (of these), bins
   out: (the value, or the least one of the bin; the greatest one; rows of all draws) #}
{% if ordered %}
SELECT MIN(v.value) AS least, MAX(v.value) AS greatest, CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
        {{ c | value('s') }} AS value,
        CASE
            {% for bin in range(bins, 1, -1) %}
            WHEN {{ c | value('s') }} >= k.k{{ bin | integer }} THEN {{ bin | integer }}
            {% endfor %}
            ELSE 1
        END AS bin
    FROM {{ completed | ident }} AS s
    CROSS JOIN {{ ('useful_cuts_' ~ c.index) | ident }} AS k
    WHERE s.{{ c.name | ident }} IS NOT NULL
) AS v
GROUP BY v.bin
{% else %}
SELECT {{ c | value('s') }} AS least, {{ c | value('s') }} AS greatest, CAST(COUNT(*) AS BIGINT) AS n
FROM {{ completed | ident }} AS s
GROUP BY {{ c | value('s') }}
{% endif %}
