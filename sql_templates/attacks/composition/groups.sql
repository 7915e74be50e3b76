{# The rows of the source by their classes and what is open of them.
   grain: one row per distinct classes and blocks, and person
   in: together_rows(row), row, traces [(place, table)], places (all of these alone), entity (the
       column that tells people apart, as an attribute, or none)
   out: table together_groups(e<place>: class, 0 for none, o<place>: block, 0 where nothing is open,
       m<place>, b<place>, open: releases that are open, who, n) #}
CREATE TABLE together_groups AS
SELECT
    {{ places | each('t.e#, t.o#, MAX(t.m#) AS m#, MAX(t.b#) AS b#,') }}
    0{{ places | each(' + CASE WHEN t.o# = 0 THEN 0 ELSE 1 END', '') }} AS open,
    {% if entity %}
    t.who,
    {% endif %}
    CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
    {% if entity %}
        {{ entity | value('r') }} AS who,
    {% endif %}
    {% for place in places %}
        {{ place | sql('COALESCE(k#.class, 0) AS e#, COALESCE(k#.block, 0) AS o#') }},
        {{ place | sql('k#.m AS m#, k#.b AS b#') }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM together_rows AS r
    {% for place, table in traces %}
    LEFT JOIN {{ table | ident }} AS k{{ place | integer }}
        ON k{{ place | integer }}.{{ row | ident }} = r.{{ row | ident }}
    {% endfor %}
) AS t
GROUP BY {{ places | listed('t.e#, t.o#') }}{% if entity %}, t.who{% endif +%}
