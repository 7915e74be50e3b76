{# What a table holds, in a few numbers that are the same on every engine and for every order of the
   rows.
   grain: one row
   in: table, columns, written (those whose values can be spelled alike on both sides: name,
       spelling; see anonsql.engines.transfer_checksums)
   out: rows, values that are not NULL in each column, three sums of nine digits of each row's
       MD5 #}
{% from 'verification/macros.sql' import spelled %}
SELECT
    COUNT(*) AS total
    {{ columns | each(', COUNT(d.n$) AS n$') }}
{% for part in range(3) %}
    , COALESCE(SUM(CAST(
        TRANSLATE(SUBSTR(d.digest, {{ (part * 9 + 1) | integer }}, 9), 'abcdef', '135792')
        AS BIGINT)), 0) AS digits{{ part | integer }}
{% endfor %}
FROM (
    SELECT
        {{ columns | each('u.n$,') }}
        MD5(
        {% for column in written %}
            {% set text = ['u', 't' ~ loop.index] %}
            COALESCE(
                CAST(LENGTH({{ spelled(column, text) }}) AS VARCHAR)
                || ':' || {{ spelled(column, text) }},
                '-'
            ){% if not loop.last %} ||{% endif +%}
        {% else %}
            ''
        {% endfor %}
        ) AS digest
    FROM (
        SELECT
        {% for column in columns %}
            CASE
                {% if column.kind == 'other' %}
                WHEN CAST(s.{{ column.name | ident }} AS VARCHAR) IS NOT NULL THEN 1
                {% else %}
                WHEN s.{{ column.name | ident }} IS NOT NULL THEN 1
                {% endif %}
            END AS n{{ loop.index | integer }},
        {% endfor %}
        {% for column in written %}
            {% if column.spelling == 'bytes' %}
            SHA256(s.{{ column.name | ident }})
            {% elif column.spelling == 'output' %}
            CASE
                WHEN CAST(s.{{ column.name | ident }} AS VARCHAR) IS NOT NULL
                THEN CONCAT(s.{{ column.name | ident }}, '')
            END
            {% else %}
            CAST(s.{{ column.name | ident }} AS VARCHAR)
            {% endif %}
            AS t{{ loop.index | integer }},
        {% endfor %}
            1 AS one
        FROM {{ table | ident }} AS s
    ) AS u
) AS d
