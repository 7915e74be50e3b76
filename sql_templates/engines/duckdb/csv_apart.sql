{# How often numbers or days that may mean that no value is known stand apart from the other values of
   a CSV file's column: beyond them by a tenth of their range, or below zero where no other is.
   grain: one row
   in: table (see engines/duckdb/csv_values), mark (the decimal mark, or none), days
       (whether they are days, else numbers), format (of dates; none: ISO), candidates
   out: for each candidate, how many rows have it, 0 where it does not stand apart #}
{% from 'engines/duckdb/macros.sql' import value %}
WITH numbers AS (
    SELECT
        d.often,
        {% if days %}
        EPOCH({{ value(['d', 'bare'], 'TIMESTAMP', mark, format) }}) AS x
        {% else %}
        {{ value(['d', 'bare'], 'DOUBLE', mark, format) }} AS x
        {% endif %}
    FROM {{ table | ident }} AS d
),

candidates AS (
    SELECT
        c.place,
        {% if days %}EPOCH(CAST(c.v AS TIMESTAMP)){% else %}CAST(c.v AS DOUBLE){% endif %} AS x
    FROM (VALUES
    {% for candidate in candidates %}
        ({{ loop.index | integer }}, {{ candidate | literal }}){% if not loop.last %},{% endif +%}
    {% endfor %}
    ) AS c (place, v)
),

rest AS (
    SELECT MIN(n.x) AS least, MAX(n.x) AS most
    FROM numbers AS n
    WHERE n.x NOT IN (SELECT c.x FROM candidates AS c)
),

apart AS (
    SELECT c.place, SUM(n.often) AS often
    FROM candidates AS c
    INNER JOIN numbers AS n ON n.x = c.x
    CROSS JOIN rest AS r
    WHERE c.x > r.most + (r.most - r.least) / 10
        OR c.x < r.least - (r.most - r.least) / 10
        {% if not days %}
        OR (c.x < 0 AND r.least >= 0)
        {% endif %}
    GROUP BY c.place
)

SELECT
{% for candidate in candidates %}
    CAST(COALESCE(SUM(a.often) FILTER (WHERE a.place = {{ loop.index | integer }}), 0) AS BIGINT)
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM apart AS a
