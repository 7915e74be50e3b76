{# Traces that leave somebody among too few. What is absent as a whole was proved
   before: a ledger that told of deletions is not followed by one that protects them.
   grain: one row
   in: trace_sizes, k, protect (whether absent rows are protected)
   out: (traces whose rows are not alike, traces that are too small, their rows) #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN s.mixed THEN 1 ELSE 0 END), 0) AS BIGINT) AS mixed,
    CAST(COALESCE(SUM(CASE WHEN s.small THEN 1 ELSE 0 END), 0) AS BIGINT) AS small,
    CAST(COALESCE(SUM(CASE WHEN s.small THEN s.n ELSE 0 END), 0) AS BIGINT) AS small_rows
FROM (
    SELECT
        t.mixed, t.n,
        t.n < {{ k | integer }} AND NOT COALESCE(t.whole, FALSE)
            {% if not protect %}
            AND t.shown
            {% endif %}
            AS small
    FROM trace_sizes AS t
) AS s
