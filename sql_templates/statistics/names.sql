{# Names of cells that are the same in every release: hashes of the labels and levels of all
   dimensions.
   grain: one row per cell, in the order of their numbers
   in: cells, vector_levels (v, l<index>), groups, attributes, numbered (the engine's template of a
       hexadecimal number)
   out: a SELECT of two numbers of 40 bits #}
SELECT
    CAST({% with digits = ['h', 'digits'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
        AS BIGINT) AS high,
    CAST({% with digits = ['h', 'digits'], start = 11 %}{% include numbered ~ '.sql' %}{% endwith %}
        AS BIGINT) AS low
FROM (
    SELECT
        t.cell,
        MD5(
        {% for a in attributes %}
            CAST(w.l# AS VARCHAR) || ':' || MD5(CASE
                WHEN w.l# = {{ a.height | integer }} THEN '*'
                WHEN u#.label IS NULL THEN '-'
                ELSE '+' || u#.label
            END){% if not loop.last %} || ';' || {% endif +%}
        {% endfor %}
        ) AS digits
    FROM cells AS t
    JOIN vector_levels AS w ON w.v = t.v
    {% for a in attributes %}
    LEFT JOIN groups AS u# ON u#.attribute = # AND u#.level = w.l# AND u#.code = t.c#
    {% endfor %}
) AS h
ORDER BY h.cell
