{# The source's rows that are released, by the texts of their values.
   grain: one row per row
   in: source, attributes, dim_<index>, by (labels: rows whose labels at their levels some released
       row has; groups: rows in a group; none: all), table (the released rows), levels {index:
       level}, valued with their values_<index>, assigned
   out: table verified_marginal_rows(v<index>: NULL for NULL) #}
CREATE TABLE verified_marginal_rows AS
SELECT {{ attributes | each('CAST(d#.v0 AS VARCHAR) AS v#', ', ') }}
FROM {{ source | ident }} AS s
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{% if by == 'labels' %}
{{ attributes | each('LEFT JOIN dim_# AS e# ON e#.code = COALESCE(d#.code, 0)') }}
WHERE EXISTS (
    SELECT 1
    FROM {{ table | ident }} AS r
    WHERE
    {% for a in attributes %}
        COALESCE('=' || CAST(r.{{ a.name | ident }} AS VARCHAR), '')
            = COALESCE('=' || e#.v{{ levels[a.index] | integer }}, '')
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
)
{% elif by == 'groups' %}
{{ valued | each('LEFT JOIN values_# AS w# ON w#.value = @(s)') }}
WHERE EXISTS (
    SELECT 1
    FROM assigned AS p
    WHERE {{ attributes | each('p.c# = COALESCE(d#.g0, 0)', ' AND ') }}
        {{ valued | each('AND p.x# = COALESCE(w#.code, 0)') }}
)
{% endif %}
