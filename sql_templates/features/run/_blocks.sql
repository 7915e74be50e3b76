-- name: about
{# What a release says of itself, for a person to try.
   in: about (table) #}
SELECT * FROM {{ about | ident }};

-- name: bucketed
{# How often each sensitive value is to be expected beside each released value of another column.
   For a person to try.
   in: table, apart (the table of buckets), bucket (the column that joins them), first (a column of
       the rows), sensitive #}
SELECT r.{{ first | ident }}, s.{{ sensitive | ident }}, sum(s.count * 1.0 / b.n) AS expected
    FROM {{ table | ident }} AS r JOIN {{ apart | ident }} AS s
    ON s.{{ bucket | ident }} = r.{{ bucket | ident }}
    JOIN (SELECT {{ bucket | ident }}, sum(count) AS n FROM {{ apart | ident }}
    GROUP BY {{ bucket | ident }}) AS b ON b.{{ bucket | ident }} = r.{{ bucket | ident }}
    GROUP BY r.{{ first | ident }}, s.{{ sensitive | ident }} ORDER BY expected DESC LIMIT 10;

-- name: expected
{# How many rows of a release by anatomy have both values, as far as can be told: each row has the
   sensitive values of its group with the chances of their counts. For a person to try.
   in: table, apart (the table of sensitive values), first (a column of the rows), sensitive (one of
       the other) #}
SELECT r.{{ first | ident }}, s.{{ sensitive | ident }}, sum(s.count * 1.0 / g.n) AS expected
    FROM {{ table | ident }} AS r JOIN {{ apart | ident }} AS s ON s.group_id = r.group_id
    JOIN (SELECT group_id, count(*) AS n FROM {{ table | ident }} GROUP BY group_id) AS g
    ON g.group_id = r.group_id GROUP BY r.{{ first | ident }}, s.{{ sensitive | ident }}
    ORDER BY expected DESC LIMIT 10;

-- name: greatest_share
{# The l of a release by anatomy: no sensitive value has a greater share of a group than 1/l. For a
   person to try.
   in: table, apart (the table of sensitive values) #}
SELECT max(s.count * 1.0 / g.n) AS greatest_share FROM {{ apart | ident }} AS s
    JOIN (SELECT group_id, count(*) AS n FROM {{ table | ident }} GROUP BY group_id) AS g
    ON g.group_id = s.group_id;

-- name: groups
{# The commonest groups of a release, for a person to try.
   in: table, columns (quasi-identifying ones: kept columns may name single rows) #}
SELECT {{ columns | idents }}, count(*) AS n FROM {{ table | ident }}
    GROUP BY {{ columns | idents }} ORDER BY n DESC LIMIT 10;

-- name: smallest_class
{# The k of a release, for a person to try.
   in: table, columns #}
SELECT min(n) AS k
    FROM (SELECT count(*) AS n FROM {{ table | ident }} GROUP BY {{ columns | idents }}) AS classes;
