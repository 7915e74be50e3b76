{# For pairs of a kept column and the groups of a generalized one: the rows whose kept value reveals
   the group, because ``least`` rows or more have the value and ``share`` per cent of them are in the
   group. A group that holds more than half of all rows is left out: it could be guessed.
   grain: one row per pair, in order; none for a pair of which all rows are in one such group
   in: linked_rows, pairs (number, index of the kept column, number of the group), least, share
   out: (number, rows whose group is revealed, rows in all groups that are compared, all rows) #}
SELECT
    x.i,
    CAST(SUM(CASE
        WHEN x.of_kept >= {{ least | integer }}
            AND x.of_both * 100 >= x.of_kept * {{ share | integer }} THEN x.of_both
        ELSE 0 END) AS BIGINT) AS known,
    CAST(SUM(x.of_both) AS BIGINT) AS looked_at,
    CAST(MAX(x.total) AS BIGINT) AS total
FROM (
    SELECT
        g.i,
        g.of_both,
        SUM(g.of_both) OVER (PARTITION BY g.i, g.b) AS of_kept,
        SUM(g.of_both) OVER (PARTITION BY g.i, g.f) AS of_group,
        SUM(g.of_both) OVER (PARTITION BY g.i) AS total
    FROM (
        SELECT p.i, p.b, p.f, COUNT(*) AS of_both
        FROM (
            SELECT
                c.i,
                CASE c.i
                {% for pair in pairs %}
                    WHEN {{ pair[0] | integer }} THEN r.{{ ('b' ~ pair[1]) | ident }}
                {% endfor %}
                END AS b,
                CASE c.i
                {% for pair in pairs %}
                    WHEN {{ pair[0] | integer }} THEN r.{{ ('f' ~ pair[2]) | ident }}
                {% endfor %}
                END AS f
            FROM linked_rows AS r
            CROSS JOIN (VALUES
                {% for pair in pairs %}({{ pair[0] | integer }}){% if not loop.last %}, {% endif %}
                {% endfor %}
            ) AS c (i)
        ) AS p
        GROUP BY p.i, p.b, p.f
    ) AS g
) AS x
WHERE x.of_group * 2 <= x.total
GROUP BY x.i
ORDER BY x.i
