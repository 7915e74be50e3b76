{# How often numbers or days that may mean that no value is known occur in columns, and the ends of all
   other values. What is infinite, or beyond 1e30, is left out.
   grain: one row per column, in order
   in: relation, columns (of numbers; or of dates, whose days are counted from 1970-01-01), days
       (whether of dates), candidates (rising numbers)
   out: (position, least and greatest other value, one column per candidate: its rows) #}
{% for column in columns %}
SELECT
    {{ loop.index | integer }} AS position,
    MIN(CASE WHEN r.x NOT IN ({{ candidates | literals }}) THEN r.x END) AS least,
    MAX(CASE WHEN r.x NOT IN ({{ candidates | literals }}) THEN r.x END) AS most
    {% for candidate in candidates %}
    , COUNT(*) FILTER (WHERE r.x = {{ candidate | literal }}) AS {{ ('n' ~ loop.index) | ident }}
    {% endfor %}
FROM (
    SELECT
        {% if days %}
        CAST(DATE_DIFF('day', CAST('1970-01-01' AS DATE),
            CAST(s.{{ column.name | ident }} AS DATE)) AS DOUBLE) AS x
        {% else %}
        CAST(s.{{ column.name | ident }} AS DOUBLE) AS x
        {% endif %}
    FROM {{ relation | ident }} AS s
    {% if days %}
    WHERE CAST(s.{{ column.name | ident }} AS DATE) BETWEEN CAST('0001-01-01' AS DATE)
        AND CAST('9999-12-31' AS DATE)
    {% else %}
    WHERE s.{{ column.name | ident }} BETWEEN -1e30 AND 1e30
    {% endif %}
) AS r
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
