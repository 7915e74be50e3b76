{# The sets that parts are released as.
   grain: one row per part and attribute released as a set of more than one value
   in: settled, final_parts, places, attributes, forms
   out: table part_sets(part, attribute, leaves, present, words: the set as text, in the order of
       the alphabet) #}
{% from 'methods/groups/macros.sql' import element %}
CREATE TABLE part_sets AS
{% for a in attributes if forms[a.index] == 'set' %}
SELECT
    u.part,
    # AS attribute,
    CAST(SUM(t.leaves) AS BIGINT) AS leaves,
    CAST(SUM(t.present) AS BIGINT) AS present,
    '{' || STRING_AGG(
        {{ element(['t', 'label']) }}, ', '
        ORDER BY t.word NULLS FIRST) || '}' AS words
FROM (
    SELECT DISTINCT s.part, s.p# AS place
    FROM settled AS s
    JOIN final_parts AS p ON p.part = s.part
    WHERE p.hi# > p.lo#
) AS u
JOIN places AS t ON t.attribute = # AND t.place = u.place
GROUP BY u.part
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
