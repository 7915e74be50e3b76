{# The rows of the source by their classes and what is open of them.
   grain: one row per distinct classes and blocks, and person
   in: table (together_rows_<step>), releases (places), told (places of those with open rows),
       entity (whether who is there)
   out: table together_groups(e<place>, o<place>, m<place>, b<place>, open: releases that are open,
       who, n) #}
CREATE TABLE together_groups AS
SELECT
    {{ releases | each('t.e#,') }}
    {{ told | each('t.o#, MAX(t.m#) AS m#, MAX(t.b#) AS b#,') }}
    0{{ told | each(' + CASE WHEN t.o# = 0 THEN 0 ELSE 1 END', '') }} AS open,
    {% if entity %}
    t.who,
    {% endif %}
    CAST(SUM(t.n) AS BIGINT) AS n
FROM {{ table | ident }} AS t
GROUP BY
    {{ releases | listed('t.e#') }}
    {{ told | each(', t.o#') }}
    {% if entity %}
    , t.who
    {% endif %}
