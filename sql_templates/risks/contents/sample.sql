{# A sample of the different values of a column that match an expression and not another, with the
   rows of each: the first by their hashes.
   grain: one row per value
   in: relation, name and type (of the column), expression, without (an expression), most
   out: (value, its rows) #}
{% from 'risks/contents/macros.sql' import content %}
SELECT d.v, d.n
FROM (
    SELECT {{ content(name, type) }} AS v, COUNT(*) AS n
    FROM {{ relation | ident }} AS s
    WHERE s.{{ name | ident }} IS NOT NULL
    GROUP BY {{ content(name, type) }}
) AS d
WHERE REGEXP_MATCHES(d.v, {{ expression | literal }})
    AND NOT REGEXP_MATCHES(d.v, {{ without | literal }})
ORDER BY MD5(d.v)
LIMIT {{ most | integer }}
