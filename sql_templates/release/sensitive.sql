{# The sensitive values of each group and how many of its rows have them, in an order that only a
   secret salt knows.
   grain: one row per group and sensitive value
   in: separated (see methods/anatomy/separated), group (the position of the group's number), titles
       (of the
       three columns), own (the second of them; a decimal keeps its digits, which joins on
       PostgreSQL forget), fresh_salt, ordering
   out: those columns and the ordering #}
SELECT
    v.grp AS {{ titles[0] | ident }},
    {% if own.kind == 'decimal' and not own.unbounded %}CAST(v.s AS {{ own.type | sql_type }})
        {% else %}v.s{% endif %} AS {{ titles[1] | ident }},
    v.n AS {{ titles[2] | ident }},
    MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR))
        AS {{ ordering | ident }}
FROM (
    SELECT t.r{{ group | integer }} AS grp, t.s, CAST(COUNT(*) AS BIGINT) AS n
    FROM separated AS t
    GROUP BY t.r{{ group | integer }}, t.s
) AS v
