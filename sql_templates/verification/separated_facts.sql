{# What of anatomy's measures the two released tables tell: the greatest share of a sensitive value
   in a group, and what would be lost if every row had the values of its whole group, by column
   (distinct values of the group - 1) / (those of the table - 1).
   grain: one row
   in: table (the rows), sensitive (the table of sensitive values), group, count (names of columns),
       labels (quasi-identifying columns)
   out: (rows of the value and of the group where the share is greatest, then for each label the sum
       over rows of the group's values less one, and the values of the table) #}
SELECT
    s.most,
    s.size
{% for label in labels %}
    , CAST(g.{{ ('lost' ~ loop.index) | ident }} AS BIGINT) AS {{ ('lost' ~ loop.index) | ident }}
    , w.{{ ('words' ~ loop.index) | ident }}
{% endfor %}
FROM (
    SELECT
        p.most,
        p.size,
        ROW_NUMBER() OVER (ORDER BY CAST(p.most AS DOUBLE) / p.size DESC NULLS LAST) AS place
    FROM (
        SELECT
            MAX(v.{{ count | ident }}) AS most,
            CAST(SUM(v.{{ count | ident }}) AS BIGINT) AS size
        FROM {{ sensitive | ident }} AS v
        GROUP BY v.{{ group | ident }}
    ) AS p
) AS s
CROSS JOIN (
    SELECT
        {{ labels | listed('SUM(t.n * (t.words$ - 1)) AS lost$') }}
    FROM (
        SELECT
            {{ labels | each("COUNT(DISTINCT COALESCE('=' || r.@, '')) AS words$,") }}
            COUNT(*) AS n
        FROM {{ table | ident }} AS r
        GROUP BY r.{{ group | ident }}
    ) AS t
) AS g
CROSS JOIN (
    SELECT
        {{ labels | listed("COUNT(DISTINCT COALESCE('=' || r.@, '')) AS words$") }}
    FROM {{ table | ident }} AS r
) AS w
WHERE s.place = 1
