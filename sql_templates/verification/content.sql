{# What a table holds, in a few numbers that are the same on every engine and for every order of the
   rows.
   grain: one row
   in: table, columns, written (those whose values can be spelled alike on both sides: name,
       spelling; see anonsql.engines.arrival)
   out: rows, values that are not NULL in each column, three sums of nine digits of each row's MD5
       #}
SELECT
    COUNT(*) AS total
{% for column in columns %}
    , COUNT(d.{{ ('n' ~ loop.index) | ident }}) AS n{{ loop.index | integer }}
{% endfor %}
{% for part in range(3) %}
    , COALESCE(SUM(CAST(TRANSLATE(SUBSTR(d.digest, {{ (part * 9 + 1) | integer
        }}, 9), 'abcdef', '135792') AS BIGINT)), 0) AS digits{{ part | integer }}
{% endfor %}
FROM (
    SELECT
    {% for column in columns %}
        u.{{ ('n' ~ loop.index) | ident }},
    {% endfor %}
        MD5(
        {% for column in written %}
            {% with text = ['u', 't' ~ loop.index] %}
            COALESCE(CAST(LENGTH({% include 'verification/spelled.sql'
                %}) AS VARCHAR) || ':' || {% include 'verification/spelled.sql' %}, '-')
            {% endwith %}
            {% if not loop.last %}||{% endif +%}
        {% else %}
            ''
        {% endfor %}
        ) AS digest
    FROM (
        SELECT
        {% for column in columns %}
            CASE WHEN {% if column.kind == 'other' %}CAST(s.{{ column.name | ident
                }} AS VARCHAR){% else %}s.{{ column.name | ident }}{% endif
                    %} IS NOT NULL THEN 1 END AS n{{ loop.index | integer }},
        {% endfor %}
        {% for column in written %}
            {% if column.spelling == 'bytes' %}
            SHA256(s.{{ column.name | ident }})
            {% elif column.spelling == 'output' %}
            CASE WHEN CAST(s.{{ column.name | ident
                }} AS VARCHAR) IS NOT NULL THEN CONCAT(s.{{ column.name | ident }}, '') END
            {% else %}
            CAST(s.{{ column.name | ident }} AS VARCHAR)
            {% endif %}
            AS t{{ loop.index | integer }},
        {% endfor %}
            1 AS one
        FROM {{ table | ident }} AS s
    ) AS u
) AS d
