{# The people of the classes of a release: those of the source whose rows fit rows of the class.
   grain: one row
   in: attacked_release, attacked_owners, facets (of labels: columns v<facet>), k
   out: (people of the classes, each counted in every class, people of the class that has fewest,
       rows in classes of fewer than k) #}
SELECT
    CAST(COALESCE(SUM(c.people), 0) AS BIGINT) AS people,
    COALESCE(MIN(c.people), 0) AS least,
    CAST(COALESCE(SUM(CASE WHEN c.people < {{ k | integer }} THEN c.n END), 0) AS BIGINT) AS below
FROM (
    SELECT SUM(d.n) AS n, COUNT(DISTINCT d.who) AS people
    FROM (
        SELECT {{ facets | idents('r') }}, r.n, CAST(NULL AS BIGINT) AS who FROM attacked_release AS r
        UNION ALL
        SELECT {{ facets | idents('r') }}, 0 AS n, o.who
        FROM attacked_release AS r
        JOIN attacked_owners AS o ON o.tuple = r.id
    ) AS d
    GROUP BY {{ facets | idents('d') }}
) AS c
