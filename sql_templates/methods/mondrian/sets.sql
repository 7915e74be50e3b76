{# The sets that parts are released as. Of attributes with few values each different set is put into
   words once, however many parts have it.
   grain: one row per part and attribute released as a set of more than one value
   in: settled, final_parts, places, part_masks, attributes (those released as sets), narrow (those
       of them that part_masks has)
   out: table part_sets(part, attribute, leaves, present, words: the set as text, in the order of
       the alphabet) #}
{% from 'methods/mondrian/macros.sql' import words %}
CREATE TABLE part_sets AS
{% for a in attributes %}
{% if a in narrow %}
SELECT p.part, # AS attribute, w.leaves, w.present, w.words
FROM part_masks AS p
JOIN (
    SELECT
        u.mask,
        {{ words() }}
    FROM (SELECT DISTINCT m.m# AS mask FROM part_masks AS m) AS u
    JOIN places AS t
        ON t.attribute = #
        AND (u.mask & (CAST(1 AS BIGINT) << CAST(t.place AS INTEGER))) <> 0
    GROUP BY u.mask
    HAVING COUNT(*) > 1
) AS w ON w.mask = p.m#
{% else %}
SELECT
    u.part,
    # AS attribute,
    {{ words() }}
FROM (
    SELECT DISTINCT s.part, s.p# AS place
    FROM settled AS s
    JOIN final_parts AS p ON p.part = s.part
    WHERE p.hi# > p.lo#
) AS u
JOIN places AS t ON t.attribute = # AND t.place = u.place
GROUP BY u.part
{% endif %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
