{# The sizes of released groups beside those of the source's rows that fall into them.
   grain: one row
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, steps, facets (the columns
       v<facet> of labels), apart (whether emptied groups are told apart, by the levels), attributes
       with dim_<index> and levels (by attribute)
   out: (the sum of squared differences by sizes before, groups that no row falls into, groups,
       rows that fall into no group, groups that these are, rows that fall into several) #}
WITH falling AS (
    SELECT m.tuple, SUM(c.n) AS n
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
    GROUP BY m.tuple
),
sized AS (
    SELECT t.n, COALESCE(f.n, 0) AS fitting
    FROM judged_tuple_steps AS t
    LEFT JOIN falling AS f ON f.tuple = t.p{{ steps | integer }}
),
cells AS (
    SELECT {{ facets | idents('c') }}, c.n, COALESCE(f.fits, 0) AS fits
    FROM judged_cell_steps AS c
    LEFT JOIN (
        SELECT m.cell, COUNT(*) AS fits
        FROM judged_matches_{{ steps | integer }} AS m
        GROUP BY m.cell
    ) AS f ON f.cell = c.p{{ steps | integer }}
),
emptied AS (
    {% if apart %}
    SELECT DISTINCT {{ attributes | listed('d#.own AS w#') }}
    FROM cells AS c
    {% for a in attributes %}
    LEFT JOIN (SELECT b.code, b.g{{ levels[a.index] | integer }} AS own FROM dim_# AS b) AS d#
        ON d#.code = c.v#
    {% endfor %}
    WHERE c.fits = 0
    {% else %}
    SELECT DISTINCT 1 AS w FROM cells AS c WHERE c.fits = 0
    {% endif %}
)
SELECT
    (
        SELECT COALESCE(SUM(CAST((g.n - g.fitting) * (g.n - g.fitting) AS DOUBLE) / g.fitting), 0)
        FROM sized AS g
        WHERE g.fitting > 0
    ) AS statistic,
    (SELECT COUNT(*) FROM sized AS g WHERE g.fitting = 0) AS unexpected,
    (SELECT COUNT(*) FROM sized AS g) AS released_groups,
    (SELECT CAST(COALESCE(SUM(c.n), 0) AS BIGINT) FROM cells AS c WHERE c.fits = 0) AS emptied,
    (SELECT COUNT(*) FROM emptied AS e) AS others,
    (SELECT CAST(COALESCE(SUM(c.n), 0) AS BIGINT) FROM cells AS c WHERE c.fits > 1) AS ambiguous
