{# The traces of the coming ledger, counted anew.
   grain: one row per trace
   in: trace_rows, ledger_rows, attributes, people (the number of the coded column that tells people
       apart, or 0)
   out: table trace_sizes(trace, n: rows or people, mixed: whether its rows were not released alike
       so far, or are not now, shown: whether they are released, whole: whether it is all of a trace
       that there was, which is absent now) #}
CREATE TABLE trace_sizes AS
SELECT
    t.trace, t.n,
    t.own_then <> t.own_last OR t.shown NOT IN (0, t.own_rows)
        {{ attributes | each('OR t.m# <> t.n#') }} AS mixed,
    t.shown > 0 AS shown,
    t.shown = 0 AND t.own_then > 0 AND t.own_rows = b.n AS whole
FROM (
    SELECT
        r.trace,
        {% if people %}
        COUNT(DISTINCT r.{{ ('y' ~ people) | ident }}) AS n,
        {% else %}
        COUNT(*) AS n,
        {% endif %}
        COUNT(*) AS own_rows,
        MIN(r.own_then) AS own_then,
        MAX(r.own_then) AS own_last,
        {{ attributes | each('MIN(r.t#) AS m#, MAX(r.t#) AS n#,') }}
        SUM(CASE WHEN r.shown THEN 1 ELSE 0 END) AS shown
    FROM trace_rows AS r
    GROUP BY r.trace
) AS t
LEFT JOIN (
    SELECT l.trace, COUNT(*) AS n FROM ledger_rows AS l GROUP BY l.trace
) AS b ON b.trace = t.own_then
