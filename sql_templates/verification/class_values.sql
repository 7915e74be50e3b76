{# How often each class of a release has each value of one column.
   grain: one row per class and value
   in: table (of the release), labels (quasi-identifying columns), bounds of them, keys (k1 … for
       both), a (coded column)
   out: (class: a number from 1, place of the value in its own order, NULL first, its text, rows) #}
SELECT
    DENSE_RANK() OVER (ORDER BY {{ keys | listed('c.@ NULLS FIRST') }}) AS class,
    DENSE_RANK() OVER (ORDER BY c.q# NULLS FIRST) AS place,
    {{ a | text('c', 'q' ~ a.index) }} AS word,
    c.n
FROM (
    SELECT {{ keys | idents('r') }}, r.q#, COUNT(*) AS n
    FROM (
        SELECT
        {% for name in labels + bounds %}
            s.{{ name | ident }}
                {% if name in labels %}COLLATE "C"{% endif %} AS {{ keys[loop.index0] | ident }},
        {% endfor %}
            {{ a | value('s') }} AS q#
        FROM {{ table | ident }} AS s
    ) AS r
    GROUP BY {{ keys | idents('r') }}, r.q#
) AS c
