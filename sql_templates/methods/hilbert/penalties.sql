{# What a row loses in a group that reaches from one cell to another: the weighted sum over
   attributes of (greatest - least place) / (values - 1); where an interval is released, NULL with
   other values loses all.
   grain: one row per pair of cells, by the last one, then the first one from there backwards
   in: pairs, extremes, attributes, spans {index: values - 1, at least 1}, ranged
   out: the penalty #}
SELECT
{% for a in attributes %}
    CAST({{ a.policy.weight | literal }} AS DOUBLE) * CAST(
    {% if ranged and a.nulls %}
        CASE
            WHEN LEAST(e.lo#, f.lo#) = 1 AND GREATEST(e.hi#, f.hi#) > 1
            THEN {{ spans[a.index] | integer }}
            ELSE GREATEST(e.hi#, f.hi#) - LEAST(e.lo#, f.lo#)
        END
    {% else %}
        GREATEST(e.hi#, f.hi#) - LEAST(e.lo#, f.lo#)
    {% endif %}
    AS DOUBLE) / {{ spans[a.index] | integer }}{% if not loop.last %} +{% endif +%}
{% endfor %}
    AS penalty
FROM pairs AS z
JOIN extremes AS e ON e.cell = z.run AND e.doubling = z.doubling
JOIN extremes AS f ON f.cell = z.other AND f.doubling = z.doubling
ORDER BY z.cell NULLS LAST, z.distance NULLS LAST
