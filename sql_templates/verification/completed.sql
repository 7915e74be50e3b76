{# Where the published completed table is not the one that is drawn anew, as multisets of rows.
   Texts are compared as they are written.
   grain: one row
   in: published (a table), titles [(column, whether its text is compared)], and what
       completion/completed takes
   out: (distinct rows whose number differs, by how many rows in all) #}
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM (
        {% for side, n in [('drawn', 1), ('published', -1)] %}
        SELECT
            {% for name, text in titles %}
            {% if text %}
            CAST(s.{{ name | ident }} AS VARCHAR) COLLATE "C" AS {{ ('c' ~ loop.index) | ident }},
            {% else %}
            s.{{ name | ident }} AS {{ ('c' ~ loop.index) | ident }},
            {% endif %}
            {% endfor %}
            {{ n | integer }} AS n
        {% if side == 'drawn' %}
        FROM (
            {% include 'completion/completed.sql' %}
        ) AS s
        UNION ALL
        {% else %}
        FROM {{ published | ident }} AS s
        {% endif %}
        {% endfor %}
    ) AS b
    GROUP BY {{ titles | listed('b.c$') }}
    HAVING SUM(b.n) <> 0
) AS d
