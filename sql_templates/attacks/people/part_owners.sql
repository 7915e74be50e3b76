{# Whose the released rows may be, by some facets.
   grain: one row per combination that is looked through and person
   in: attacked_release, attacked_owners, judged_tuples(id, v<facet>), facets (its columns v<facet>)
   out: table attacked_part_owners(id: of judged_tuples, who, w: rows) #}
CREATE TABLE attacked_part_owners AS
SELECT j.id, o.who, SUM(o.w) AS w
FROM attacked_release AS r
JOIN judged_tuples AS j ON {{ facets | each('j.@ = r.@', ' AND ') }}
JOIN attacked_owners AS o ON o.tuple = r.id
GROUP BY j.id, o.who
