{# The end of a statement: for each of some columns, how many rows are alone with their values in
   all of the others. Rows are compared by the sum of their columns' hashes less the one's, and one
   in ``parts`` of the sums is looked at, whole groups of rows therefore.
   grain: one row per column
   in: hashes (a template of (h1 …: hashes of the columns, below 2^52, p: of the person)), count (of
       the columns), parts, people (whether the size of a group is its number of people)
   out: (number of the column from 1, rows looked at that are alone) #}
SELECT r.i, CAST(COALESCE(SUM(r.n) FILTER (WHERE r.size = 1), 0) AS BIGINT) AS alone
FROM (
    SELECT q.i, q.others,
        COUNT(*) AS n, {% if people %}COUNT(DISTINCT q.p){% else %}COUNT(*){% endif %} AS size
    FROM (
        SELECT
            c.i{% if people %}, h.p{% endif %},
            {{ range(1, count + 1) | each('h.h#', ' + ') }}
                - CASE c.i {{ range(1, count + 1) | each('WHEN # THEN h.h#') }} END AS others
        FROM (
            {% include hashes ~ '.sql' %}
        ) AS h
        CROSS JOIN (VALUES {{ range(1, count + 1) | listed('(#)') }}) AS c (i)
    ) AS q
    WHERE q.others % {{ parts | integer }} = 0
    GROUP BY q.i, q.others
) AS r
GROUP BY r.i
ORDER BY r.i
