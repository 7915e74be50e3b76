{# The leaves of an attribute in order, NULL first: numbers and dates by value, leaves that are
   given one by one by their place with siblings side by side, other text byte by byte.
   grain: one row per leaf
   in: a (attribute), its dimension table
   out: a SELECT of (code, value, v0, lo0 and hi0 where it has bounds, place, leaves: their number)
       #}
SELECT
    d.code, d.value, d.v0,
    {% if a.bounds_type %}
    d.lo0, d.hi0,
    {% endif %}
    COUNT(*) OVER () AS leaves,
    ROW_NUMBER() OVER (
        ORDER BY
            CASE WHEN d.code = 0 THEN 0 ELSE 1 END NULLS FIRST,
            {% if a.sorts %}
            {% elif a.leaves %}
            {{ range(a.height, 0, -1) | each('d.g# NULLS FIRST,') }}
            {% elif a.column.kind == 'text' %}
            d.value COLLATE "C" NULLS FIRST,
            {% endif %}
            d.code NULLS FIRST
    ) AS place
FROM dim_# AS d
