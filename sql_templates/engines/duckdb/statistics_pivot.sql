{# Cells of a published table by two dimensions at certain levels as a crosstab, for a person to try.
   in: table, rows, columns (dimensions), levels {column of levels: level}, measure #}
PIVOT (
    SELECT {{ rows | ident }}, {{ columns | ident }},
        COALESCE(CAST({{ measure | ident }} AS VARCHAR), {{ (measure ~ '_status') | ident }}) AS cell
    FROM {{ table | ident }}
    {% for name, level in levels %}
    {% if loop.first %}    WHERE {% else %}        AND {% endif %}{{ name | ident }} = {{ level | integer }}
    {% endfor %}
)
ON {{ columns | ident }} USING FIRST(cell)
GROUP BY {{ rows | ident }}
ORDER BY {{ rows | ident }}
