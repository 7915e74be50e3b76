{# The values of the sets.
   grain: one row per part, attribute released as a set of more than one value, and value
   in: settled, final_parts, places, attributes, forms
   out: table sets_0(part, attribute, leaves, present, rank: in the alphabet, from 0, words) #}
CREATE TABLE sets_0 AS
{% for a in attributes if forms[a.index] == 'set' %}
{% set i = a.index %}
SELECT
    u.part,
    {{ i | integer }} AS attribute,
    t.leaves,
    t.present,
    ROW_NUMBER() OVER (PARTITION BY u.part ORDER BY t.word NULLS LAST) - 1 AS rank,
    {% with value = ['t', 'label'] %}{% include 'groups/element.sql' %}{% endwith %} AS words
FROM (
    SELECT DISTINCT s.part, s.p{{ i | integer }} AS place
    FROM settled AS s
    JOIN final_parts AS p ON p.part = s.part
    WHERE p.hi{{ i | integer }} > p.lo{{ i | integer }}
) AS u
JOIN places AS t ON t.attribute = {{ i | integer }} AND t.place = u.place
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
