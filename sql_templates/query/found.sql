{# The rows that may satisfy each of some questions over the same columns. A row surely does when
   the terms, which are disjoint, hold every combination of sections that it may lie in.
   grain: one row per question and fact
   in: table (see query/joined, all columns looked at), aggregated (index or none)
   out: table found(question, fact, n, chance: NULL where it is not known, certain: 1 or 0, unit:
       the pivot's bucket or 0, and of the aggregated column least, greatest, mass: its mean times
       the chance, told: the number of its released value) #}
CREATE TABLE found AS
SELECT
    h.question, h.fact,
    MAX(h.n) AS n,
    CASE WHEN COUNT(h.chance) = COUNT(*) THEN SUM(h.chance) END AS chance,
    CASE WHEN SUM(h.inside) = MAX(h.total) THEN 1 ELSE 0 END AS certain,
    MAX(h.unit) AS unit
{% if aggregated %}
    , CASE WHEN COUNT(h.least) = COUNT(*) THEN MIN(h.least) END AS least
    , CASE WHEN COUNT(h.greatest) = COUNT(*) THEN MAX(h.greatest) END AS greatest
    , CASE WHEN COUNT(h.mass) = COUNT(*) THEN SUM(h.mass) END AS mass
    , MAX(h.told) AS told
{% endif %}
FROM {{ table | ident }} AS h
GROUP BY h.question, h.fact
