{# What a table holds, in a few numbers that are the same on every engine and for every order of the rows.
   grain: one row
   in: table, columns, written (those of them whose text is the same on every engine)
   out: rows, values that are not NULL in each column, three sums of nine digits of each row's MD5 #}
SELECT
    COUNT(*) AS total
{% for column in columns %}
    , COUNT(d.{{ ('n' ~ loop.index) | ident }}) AS n{{ loop.index | integer }}
{% endfor %}
{% for part in range(3) %}
    , COALESCE(SUM(CAST(TRANSLATE(SUBSTR(d.digest, {{ (part * 9 + 1) | integer }}, 9), 'abcdef', '135792') AS BIGINT)), 0) AS digits{{ part | integer }}
{% endfor %}
FROM (
    SELECT
    {% for column in columns %}
        CASE WHEN s.{{ column.name | ident }} IS NOT NULL THEN 1 END AS n{{ loop.index | integer }},
    {% endfor %}
        MD5(
        {% for column in written %}
            COALESCE(CAST(LENGTH(CAST(s.{{ column.name | ident }} AS VARCHAR)) AS VARCHAR) || ':' || CAST(s.{{ column.name | ident }} AS VARCHAR), '-'){% if not loop.last %} ||{% endif +%}
        {% else %}
            ''
        {% endfor %}
        ) AS digest
    FROM {{ table | ident }} AS s
) AS d
