{# How many rows of source and release have values between which edges.
   grain: one row per bin
   in: a (coded column), seen_<index>, edges (at which bins begin, but the first;
       ascending), last (the number of the last bin: of its edges)
   out: (bin: 0 is below the first edge, -1 has no number; rows of the source, rows of the
       release) #}
SELECT b.bin, CAST(SUM(b.source) AS BIGINT) AS source, CAST(SUM(b.released) AS DOUBLE) AS released
FROM (
    SELECT
        CASE
            WHEN n.x IS NULL THEN -1
            {% for edge in edges %}
            WHEN n.x < CAST({{ edge | number }} AS DOUBLE) THEN {{ loop.index0 | integer }}
            {% endfor %}
            ELSE {{ last | integer }}
        END AS bin,
        n.source, n.released
    FROM (
        SELECT
            s.source, s.released,
            {% with value = ['s', 'value'] %}{% include 'privacy/number.sql' %}{% endwith +%}
            AS x
        FROM seen_# AS s
    ) AS n
) AS b
GROUP BY b.bin
