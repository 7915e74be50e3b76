{# What may be known of people, of the kinds that anything rare is of: without the people who are
   suppressed.
   grain: one row per person and kind
   in: rare (see relational/census/rare), gone (tables of people), most (how many rows are known at
       most), entries_1 (see relational/census/entries)
   out: a SELECT of the columns of entries_1 #}
SELECT e.*
FROM entries_1 AS e
JOIN (
    SELECT r.own, r.t1 AS t FROM rare AS r
    {% if most > 1 %}UNION SELECT r.own, r.t2 FROM rare AS r{% endif +%}
    {% if most > 2 %}UNION SELECT r.own, r.t3 FROM rare AS r{% endif +%}
    {% if most < 2 %}GROUP BY r.own, r.t1{% endif +%}
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
