{# The rows of the coming ledger beside those of the present one and beside what is released.
   grain: one row per row of either ledger, or of the release
   in: ledger_rows, ledger_next (h, trace, released, y1 …), shown_rows, attributes, coded
   out: table trace_rows(h, then: its trace so far, 0: none, trace: the coming one, times: how often
       the coming ledger has it, released: as the coming ledger says, shown: whether it is released,
       t<index>, y<n>: of the coming ledger, same: whether that has the values that are
       released) #}
CREATE TABLE trace_rows AS
SELECT
    COALESCE(n.h, s.h, l.h) AS h,
    COALESCE(l.trace, 0) AS own_then,
    n.trace,
    COALESCE(n.times, 0) AS times,
    COALESCE(n.released, FALSE) AS released,
    s.h IS NOT NULL AS shown{% for a in attributes %},
    COALESCE(s.t#, '') AS t#{% endfor %}{% for a in coded %},
    n.y{{ loop.index | integer }}{% endfor %},
    CASE WHEN s.h IS NULL THEN TRUE ELSE TRUE{% for a in coded %}
        AND COALESCE(n.y{{ loop.index | integer }}, '') = COALESCE(s.y{{ loop.index | integer }}, '')
        {%- endfor %} END AS same
FROM (
    SELECT m.*, COUNT(*) OVER (PARTITION BY m.h) AS times FROM ledger_next AS m
) AS n
FULL JOIN shown_rows AS s ON s.h = n.h
FULL JOIN ledger_rows AS l ON l.h = COALESCE(n.h, s.h)
