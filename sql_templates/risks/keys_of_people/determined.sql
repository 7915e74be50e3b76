{# For how many values of a column all rows agree in others, as texts; NULL of the others is a value.
   grain: one row per column, in order
   in: table, columns (each the name, with the beginnings of the hashes of values that are looked
       at; none: all are), others (names)
   out: (position, values of several rows; for each of others those whose rows agree) #}
{% for name, beginnings in columns %}
SELECT
    {{ loop.index | integer }} AS position,
    COUNT(*) AS repeating
    {% for other in others %}
    , COUNT(CASE WHEN g.{{ ('l' ~ loop.index) | ident }} = g.{{ ('h' ~ loop.index) | ident }}
        THEN 1 END) AS {{ ('a' ~ loop.index) | ident }}
    {% endfor %}
FROM (
    SELECT
        CAST(t.{{ name | ident }} AS VARCHAR) AS v
        {% for other in others %}
        , MIN(COALESCE(CAST(t.{{ other | ident }} AS VARCHAR), ''))
            AS {{ ('l' ~ loop.index) | ident }}
        , MAX(COALESCE(CAST(t.{{ other | ident }} AS VARCHAR), ''))
            AS {{ ('h' ~ loop.index) | ident }}
        {% endfor %}
    FROM {{ table | ident }} AS t
    WHERE t.{{ name | ident }} IS NOT NULL
    {% if beginnings %}
    AND SUBSTR(MD5(CAST(t.{{ name | ident }} AS VARCHAR)), 1, 2) IN ({{ beginnings | literals }})
    {% endif %}
    GROUP BY CAST(t.{{ name | ident }} AS VARCHAR)
    HAVING COUNT(*) > 1
) AS g
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
