{# The rows that may satisfy each of some questions over the same columns. A row surely does when the terms, which are disjoint, hold
   every combination of cells that it may lie in.
   grain: one row per question and fact
   in: narrow, chances_<index> of the facets, first and last (of the questions' numbers), aggregated (index or none), pivot (index or
       none), separate (whether the pivot's own condition is left to its buckets)
   out: table found(question, fact, n, chance: NULL where it is not known, certain: 1 or 0, unit: the pivot's bucket or 0, and of the
        aggregated column least, greatest, mass: its mean times the chance) #}
{% set head = facets[0].index %}
CREATE TABLE found AS
SELECT
    h.question,
    h.fact,
    MAX(h.n) AS n,
    CASE WHEN COUNT(h.chance) = COUNT(*) THEN SUM(h.chance) END AS chance,
    CASE WHEN SUM(h.inside) = MAX(h.total) THEN 1 ELSE 0 END AS certain,
    MAX(h.unit) AS unit
{% if aggregated %}
    , CASE WHEN COUNT(h.least) = COUNT(*) THEN MIN(h.least) END AS least
    , CASE WHEN COUNT(h.greatest) = COUNT(*) THEN MAX(h.greatest) END AS greatest
    , CASE WHEN COUNT(h.mass) = COUNT(*) THEN SUM(h.mass) END AS mass
{% endif %}
FROM (
    SELECT
        x{{ head | integer }}.question,
        f.fact,
        f.n,
        {% for c in facets %}x{{ c.index | integer }}.share{% if not loop.last %} * {% endif %}{% endfor %} AS chance,
        {% for kind in ('inside', 'total') %}
        {% for c in facets %}{% if separate and c.index == pivot %}CASE WHEN f.c{{ c.index | integer }} < -1 THEN 1 ELSE x{{ c.index | integer }}.{{ kind | ident }} END{% else %}x{{ c.index | integer }}.{{ kind | ident }}{% endif %}{% if not loop.last %} * {% endif %}{% endfor %} AS {{ kind | ident }},
        {% endfor %}
        {% if pivot %}CASE WHEN f.c{{ pivot | integer }} < -1 THEN f.c{{ pivot | integer }} ELSE 0 END{% else %}CAST(0 AS BIGINT){% endif %} AS unit
        {% if aggregated %}
        , x{{ aggregated | integer }}.least
        , x{{ aggregated | integer }}.greatest
        , x{{ aggregated | integer }}.mass{% for c in facets if c.index != aggregated %} * x{{ c.index | integer }}.share{% endfor %} AS mass
        {% endif %}
    FROM narrow AS f
    {% for c in facets %}
    JOIN (
        SELECT p.question, p.term, p.value, p.inside, p.total, p.share, p.least, p.greatest, p.mass
        FROM chances_{{ c.index | integer }} AS p
        WHERE p.question BETWEEN {{ first | integer }} AND {{ last | integer }}
    ) AS x{{ c.index | integer }} ON x{{ c.index | integer }}.value = f.c{{ c.index | integer }}{% if not loop.first %} AND x{{ c.index | integer }}.question = x{{ head | integer }}.question AND x{{ c.index | integer }}.term = x{{ head | integer }}.term{% endif +%}
    {% endfor %}
) AS h
GROUP BY h.question, h.fact
