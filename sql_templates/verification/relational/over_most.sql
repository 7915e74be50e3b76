{# The people of the source that have more rows of a table than are released of one.
   grain: one row
   in: chain (the numbers of the tables from that one up to the one below people), most (rows of a
       person), both_<number> of those
   out: (people, rows that they have beyond the most) #}
SELECT COUNT(*) AS people, CAST(COALESCE(SUM(g.n - {{ most | integer }}), 0) AS BIGINT) AS beyond
FROM (
    SELECT {{ chain[-1] | sql('b#.was_of') }} AS person, COUNT(*) AS n
    FROM {{ chain[0] | sql('both_# AS b#') }}
    {% for number in chain[1:] %}
    JOIN {{ number | sql('both_# AS b#') }}
        ON {{ number | sql('b#.was') }} = {{ chain[loop.index0] | sql('b#.was_of') }}
    {% endfor %}
    WHERE {{ chain[0] | sql('b#.was') }} IS NOT NULL
    GROUP BY {{ chain[-1] | sql('b#.was_of') }}
) AS g
WHERE g.n > {{ most | integer }}
