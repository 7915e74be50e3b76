{# How many kinds of rows the table of draws has more or fewer rows of than the source.
   grain: one row
   in: source, table, columns (name, and whether they are comparable)
   out: (kinds) #}
{% macro plain(c) %}
{% if c.comparable %}r.{{ c.name | ident }}{% else %}CAST(r.{{ c.name | ident }} AS VARCHAR){% endif %}
{% endmacro %}
SELECT COUNT(*) AS kinds
FROM (
    SELECT SUM(b.n) AS n
    FROM (
        {% for relation, sign in ((source, 1), (table, -1)) %}
        SELECT
            {% for c in columns %}{{ plain(c) }} AS {{ ('c' ~ loop.index) | ident }}, {% endfor +%}
            {{ sign | integer }} AS n
        FROM {{ relation | ident }} AS r
        {% if not loop.last %}UNION ALL{% endif +%}
        {% endfor %}
    ) AS b
    GROUP BY {% for c in columns %}b.{{ ('c' ~ loop.index) | ident }}{% if not loop.last %}, {% endif %}{% endfor +%}
    HAVING SUM(b.n) <> 0
) AS d
