{# Whose the released rows are that a target's may be.
   grain: one row per combination of what is known of targets, and person
   in: attacked_part_owners, judged_matches_<steps>, judged_tuple_steps, steps, part (1 or 2)
   out: table attacked_shares_<part>(cell: the combination's number, who, w: rows) #}
CREATE TABLE attacked_shares_{{ part | integer }} AS
SELECT m.cell, o.who, SUM(o.w) AS w
FROM judged_matches_{{ steps | integer }} AS m
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN attacked_part_owners AS o ON o.id = t.id
GROUP BY m.cell, o.who
