{# The members of every ring in their order, and how often each attribute's value has changed up to
   them.
   grain: one row per ring and run: neighbours with the same quasi-identifying values; those of a
       ring twice over, so that windows may go round
   in: members(part, run, item), items, attributes
   out: table runs(part, run, p1 … pn, a1 … an: changes of the attribute before it) #}
CREATE TABLE runs AS
SELECT
    t.part, t.run
{% for a in attributes %}
    , t.p#
    , CAST(SUM(t.b#) OVER (PARTITION BY t.part ORDER BY t.run NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS INTEGER) AS a#
{% endfor %}
FROM (
    SELECT
        m.part, m.run
    {% for a in attributes %}
        , i.p#
        , CASE
            WHEN LAG(i.p#) OVER (PARTITION BY m.part ORDER BY m.run NULLS FIRST) <> i.p# THEN 1
            ELSE 0
        END AS b#
    {% endfor %}
    FROM members AS m
    JOIN items AS i ON i.item = m.item
) AS t
