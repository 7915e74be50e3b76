{# The rows of a released table with the codes of their sensitive values.
   grain: one row per row
   in: a (the column), table (the released one), key, number, depth (of the table),
       verified_<number>, reference_<index>
   out: a SELECT of (person, b1 …: the rows on the way down to it, itself the last; code: NULL of a
        value that the reference lacks) #}
SELECT v.person,
    {% for place in range(1, depth + 1) %}
    v.b{{ place | integer }},
    {% endfor %}
    CASE WHEN {{ a | value('t') }} IS NULL THEN 0 ELSE w.code END AS code
FROM {{ table | ident }} AS t
JOIN {{ ('verified_' ~ number) | ident }} AS v ON v.id = t.{{ key | ident }}
LEFT JOIN {{ ('reference_' ~ a.index) | ident }} AS w ON w.value = {{ a | value('t') }}
