{# What the rows of each trace have in the columns that promises are about; not of traces that are
   absent as a whole.
   grain: one row per trace and combination of values
   in: trace_rows, trace_sizes, coded, trace_reference_<index>, protect (whether absent rows are
       protected)
   out: table trace_values(trace, x<index>: -1 for a value that the source has not any more, n) #}
CREATE TABLE trace_values AS
SELECT v.trace, {{ coded | each('v.x#,') }} CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
        {% for a in coded %}
        CASE WHEN r.{{ ('y' ~ loop.index) | ident }} IS NULL THEN 0 ELSE COALESCE(g#.code, -1) END
            AS x#,
        {% endfor %}
        r.trace
    FROM trace_rows AS r
    JOIN trace_sizes AS s ON s.trace = r.trace
    {% for a in coded %}
    LEFT JOIN {{ ('trace_reference_' ~ a.index) | ident }} AS g#
        ON g#.y = r.{{ ('y' ~ loop.index) | ident }}
    {% endfor %}
    WHERE NOT COALESCE(s.whole, FALSE)
    {% if not protect %}
        AND s.shown
    {% endif %}
) AS v
GROUP BY v.trace{{ coded | each(', v.x#', '') }}
