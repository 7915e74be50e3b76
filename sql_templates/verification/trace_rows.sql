{# The rows of the coming ledger beside those of the present one and beside what is released.
   grain: one row per row of the coming ledger and row that is released under its name
   in: ledger_rows, ledger_next (h, trace, released, y1 …), shown_rows, attributes, coded
   out: table trace_rows(trace, own_then: its trace so far, 0: none, released: as the ledger says,
       shown: whether it is released, t<index>, y<n>: of the coming ledger, same: whether those are
       the values that are released, and those of the present ledger) #}
CREATE TABLE trace_rows AS
SELECT
    n.trace,
    COALESCE(l.trace, 0) AS own_then,
    n.released,
    {{ attributes | each('COALESCE(s.t#, 0) AS t#,') }}
    {% for a in coded %}
    n.{{ ('y' ~ loop.index) | ident }},
    {% endfor %}
    (s.h IS NULL OR (
        1 = 1
        {% for a in coded %}
        AND COALESCE(n.{{ ('y' ~ loop.index) | ident }}, '')
            = COALESCE(s.{{ ('y' ~ loop.index) | ident }}, '')
        {% endfor %}
    ))
    {% for a in coded %}
    AND (
        l.h IS NULL OR COALESCE(n.{{ ('y' ~ loop.index) | ident }}, '')
        = COALESCE(l.{{ ('y' ~ loop.index) | ident }}, '')
    )
    {% endfor %}
    AS same,
    s.h IS NOT NULL AS shown
FROM ledger_next AS n
LEFT JOIN shown_rows AS s ON s.h = n.h
LEFT JOIN ledger_rows AS l ON l.h = n.h
