{# The cut of every part that sheds most loss, among those whose sides both keep the promise.
   grain: one row per part that is cut
   in: table ('sides'), keys (part, attribute, place, upto, gain, side), promise
   out: table chosen(part, attribute, place, upto, rank: from 1) #}
CREATE TABLE chosen AS
SELECT r.part, r.attribute, r.place, r.upto, ROW_NUMBER() OVER (ORDER BY r.part NULLS LAST) AS rank
FROM (
    SELECT
        x.part, x.attribute, x.place, x.upto,
        ROW_NUMBER() OVER (PARTITION BY x.part ORDER BY x.gain DESC NULLS LAST,
            x.attribute NULLS LAST, x.place NULLS LAST, x.upto NULLS LAST) AS rank
    FROM (
        {% include 'privacy/classes.sql' %}
    ) AS x
    GROUP BY x.part, x.attribute, x.place, x.upto, x.gain
    HAVING COUNT(CASE WHEN NOT x.ok THEN 1 END) = 0
) AS r
WHERE r.rank = 1
