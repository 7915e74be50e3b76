{# What the ends of the labels are that look like closed intervals.
   grain: one row
   in: the table labels_asked
   out: (labels that look like closed intervals, those between numbers, those between moments, those
       that show a time of day) #}
{% from 'labels/macros.sql' import number_of, moment_of %}
SELECT
    COUNT(*) AS intervals,
    COUNT(*) FILTER (WHERE {{ number_of(['i', 'low']) }} IS NOT NULL
        AND {{ number_of(['i', 'high']) }} IS NOT NULL) AS numbers,
    COUNT(*) FILTER (WHERE {{ moment_of(['i', 'low']) }} IS NOT NULL
        AND {{ moment_of(['i', 'high']) }} IS NOT NULL) AS moments,
    COUNT(*) FILTER (WHERE i.label LIKE '%:%') AS timed
FROM (
    SELECT
        a.label,
        TRIM(REGEXP_EXTRACT(a.label, '^\[([^\[\](),]*),[^\[\](),]*\]$', 1)) AS low,
        TRIM(REGEXP_EXTRACT(a.label, '^\[[^\[\](),]*,([^\[\](),]*)\]$', 1)) AS high
    FROM labels_asked AS a
    WHERE a.label LIKE '[%]'
) AS i
