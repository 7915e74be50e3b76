{# What is released of each span of an attribute as the interval from its least to its greatest
   value; * where NULL is in it with others.
   grain: one row per span of more than one value
   in: what methods/windows/elements takes, dim_<index>
   out: table labels_<index>(part, first, last, label, begin and finish: codes of its ends, leaves,
       present, lo and hi where there are bounds) #}
{% from 'methods/ordered_partition/macros.sql' import interval_label %}
CREATE TABLE labels_# AS
{% with repeated = false %}{% include 'methods/windows/elements.sql' %}{% endwith %},
leaves AS (
    {% include 'methods/refinement/ordered.sql' %}
),
ends AS (
    SELECT e.part, e.first, e.last, MIN(e.place) AS least, MAX(e.place) AS greatest
    FROM elements AS e
    GROUP BY e.part, e.first, e.last
),
coded AS (
    SELECT s.part, s.first, s.last, s.least, s.greatest, b.code AS begin_code,
        f.code AS finish_code, b.code = 0 AS mixed
    FROM ends AS s
    JOIN places AS b ON b.attribute = # AND b.place = s.least
    JOIN places AS f ON f.attribute = # AND f.place = s.greatest
)
SELECT
    c.part, c.first, c.last,
    {{ interval_label(a, ['c', 'mixed'], ['b', 'v0'], ['e', 'v0']) }} AS label,
    c.begin_code,
    CASE WHEN c.mixed THEN g.code ELSE c.finish_code END AS finish_code,
    CASE WHEN c.mixed THEN b.leaves ELSE e.place - b.place + 1 END AS leaves,
    CASE WHEN c.mixed THEN x.present ELSE c.greatest - c.least + 1 END AS present
    {% if a.bounds_type %}
    , CASE WHEN NOT c.mixed THEN b.lo0 END AS lo
    , CASE WHEN NOT c.mixed THEN e.hi0 END AS hi
    {% endif %}
FROM coded AS c
JOIN leaves AS b ON b.code = c.begin_code
JOIN leaves AS e ON e.code = c.finish_code
JOIN leaves AS g ON g.place = g.leaves
CROSS JOIN (SELECT COUNT(*) AS present FROM places AS p WHERE p.attribute = #) AS x
