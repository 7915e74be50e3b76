{# How often each class of a release has each value of one column.
   grain: one row per class and value
   in: table (of the release), labels (quasi-identifying columns), bounds of them, keys (k1 … for
       both), a (coded column)
   out: (class: a number from 1, place of the value in its own order, NULL first, its text, rows) #}
SELECT
    DENSE_RANK() OVER (ORDER BY {% for key in keys %}c.{{ key | ident }} NULLS FIRST{% if not
        loop.last %}, {% endif %}{% endfor %}) AS class,
    DENSE_RANK() OVER (ORDER BY c.q{{ a.index | integer }} NULLS FIRST) AS place,
    {% with value = ['c', 'q' ~ a.index] %}{% include 'star/text.sql' %}{% endwith %} AS word,
    c.n
FROM (
    SELECT {{ keys | idents('r') }}, r.q{{ a.index | integer }}, COUNT(*) AS n
    FROM (
        SELECT
        {% for name in labels + bounds %}
            s.{{ name | ident }}{% if name in labels %} COLLATE "C"{% endif
                %} AS {{ keys[loop.index0] | ident }},
        {% endfor %}
            {% with side = 's' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index |
                integer }}
        FROM {{ table | ident }} AS s
    ) AS r
    GROUP BY {{ keys | idents('r') }}, r.q{{ a.index | integer }}
) AS c
