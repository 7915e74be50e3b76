{# How the values of a table are stored.
   grain: one row
   in: table, columns (with their declared types)
   out: for each column, how many values are stored as integer, real, text and blob, and how many of
       these are none of the declared type: no date, no timestamp, neither 0 nor 1 #}
SELECT
{% for column in columns %}
    {% set last = loop.last %}
    {% for kind in ['integer', 'real', 'text', 'blob'] %}
    COALESCE(SUM(TYPEOF(s.{{ column.name | ident }}) = {{ kind | literal }}), 0),
    {% endfor %}
    {% if column.kind == 'boolean' %}
    COALESCE(SUM(s.{{ column.name | ident }} NOT IN (0, 1)), 0)
    {% elif column.kind == 'date' %}
    COALESCE(SUM(DATE(s.{{ column.name | ident }}) IS NOT s.{{ column.name | ident }}
        AND s.{{ column.name | ident }} IS NOT NULL), 0)
    {% elif column.kind == 'timestamp' %}
    COALESCE(SUM(
        REPLACE(SUBSTR(s.{{ column.name | ident }}, 1, 19), 'T', ' ')
            IS NOT DATETIME(SUBSTR(s.{{ column.name | ident }}, 1, 19))
            AND SUBSTR(s.{{ column.name | ident }}, 1, 10) || ' 00:00:00'
            IS NOT DATETIME(s.{{ column.name | ident }})
            AND s.{{ column.name | ident }} IS NOT NULL
        OR SUBSTR(s.{{ column.name | ident }}, 20) NOT GLOB '.[0-9]*'
            AND LENGTH(s.{{ column.name | ident }}) > 19
        OR SUBSTR(s.{{ column.name | ident }}, 21) GLOB '*[^0-9]*'
    ), 0)
    {% else %}
    0
    {% endif %}
    {% if not last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS s
