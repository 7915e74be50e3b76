{# What may be known of people, of the kinds that anything rare is of: without the people who are
   suppressed.
   grain: one row per person and kind
   in: rare (see relational/census/rare), gone (tables of people), kinds (that rare ones may be
       of, see relational/census/counts), entries_1 (see relational/census/entries)
   out: a SELECT of the columns of entries_1 #}
SELECT e.*
FROM entries_1 AS e
JOIN (
    SELECT r.own, r.t1 AS t FROM rare AS r
    {% if 't2' in kinds %}UNION SELECT r.own, r.t2 FROM rare AS r{% endif +%}
    {% if 't3' in kinds %}UNION SELECT r.own, r.t3 FROM rare AS r{% endif +%}
    {% if 't2' not in kinds %}GROUP BY r.own, r.t1{% endif +%}
) AS k ON k.own = e.own AND k.t = e.t
{% if gone %}
LEFT JOIN (
{% for name in gone %}
    SELECT x.id FROM {{ name | ident }} AS x
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS g ON g.id = e.holder
WHERE g.id IS NULL
{% endif %}
