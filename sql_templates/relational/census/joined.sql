{# Kinds that are known together of the rows of a table, as kinds of their own.
   grain: one row per row and kind
   in: number (of the table), count (of all tables), most (how many rows may be known),
       entries_<number> (see relational/census/entries)
   out: a SELECT of (holder, t, w) #}
{% from 'relational/census/macros.sql' import together %}
{% for size in range(2, most + 1) %}
SELECT v.holder,
    -(CAST(DENSE_RANK() OVER (
        ORDER BY v.t1 NULLS LAST, v.t2 NULLS LAST, v.t3 NULLS LAST
    ) AS BIGINT)
        * {{ (2 * count) | integer }}
        + {{ (2 * number + size - 2) | integer }}) AS t,
    {{ size | integer }} AS w
FROM (
    {{ together('entries_' ~ number, ['holder'], size, size, false, none) }}
) AS v
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
