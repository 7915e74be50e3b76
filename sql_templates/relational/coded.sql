{# The rows of a table with the codes of their quasi-identifying values, and whose they are.
   grain: one row per row of the table that leads to a person
   in: source, key, attributes, dim_<index>, number (of the table), reference, upper (the number of
       the table that it refers to; none of people), nested (whether that is another one than that
       of people), keyed_<number>, rows_<upper>, sensitive (columns), values_<index> of them
   out: a SELECT of (id, parent, person, up: the cell of the row referred to, c1 …: -2 for a value
        that the dimension table lacks, x<index>: codes of sensitive values, 0 of NULL) #}
SELECT
    k.id,
    {% if upper %}
    p.id AS parent,
    {% if nested %}r.person{% else %}r.id{% endif %} AS person,
    {% else %}
    k.id AS parent,
    k.id AS person,
    {% endif %}
    {% if nested %}r.cell{% else %}CAST(0 AS BIGINT){% endif %} AS up
{% for a in attributes %}
    , COALESCE(d#.g{{ a.min_level | integer }}, CASE WHEN {{ a | value('s') }} IS NULL
        THEN 0 ELSE -2 END) AS c#
{% endfor %}
    {{ sensitive | each(', COALESCE(w#.code, 0) AS x#') }}
FROM {{ source | ident }} AS s
JOIN {{ ('keyed_' ~ number) | ident }} AS k ON k.value = {{ key | value('s') }}
{% if upper %}
JOIN {{ ('keyed_' ~ upper) | ident }} AS p ON p.value = {{ reference | value('s') }}
JOIN {{ ('rows_' ~ upper) | ident }} AS r ON r.id = p.id
{% endif %}
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{{ sensitive | each('LEFT JOIN values_# AS w# ON w#.value = @(s)') }}
