{# The classes of a release by groups: groups that are released alike are one class.
   grain: one row
   in: groups, attributes
   out: (classes, rows of the smallest, rows in all, sum of squared class sizes) #}
SELECT
    COUNT(*) AS classes,
    COALESCE(MIN(x.size), 0) AS min_class,
    CAST(COALESCE(SUM(x.size), 0) AS BIGINT) AS released,
    CAST(COALESCE(SUM(x.size * x.size), 0) AS BIGINT) AS squares
FROM (
    SELECT CAST(SUM(x.n) AS BIGINT) AS size
    FROM groups AS x
    GROUP BY
    {% for a in attributes %}
        x.v#{% if a.bounds_type %}, x.lo#, x.hi#{% endif %}{% if not loop.last %},{% endif +%}
    {% endfor %}
) AS x
