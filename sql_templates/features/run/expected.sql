{# How many rows of a release by anatomy have both values, as far as can be told: each row has the
   sensitive values of its group with the chances of their counts. For a person to try.
   in: table, apart (the table of sensitive values), first (a column of the rows), sensitive (one of
       the other) #}
SELECT r.{{ first | ident }}, s.{{ sensitive | ident }}, sum(s.count * 1.0 / g.n) AS expected
    FROM {{ table | ident }} AS r JOIN {{ apart | ident }} AS s ON s.group_id = r.group_id
    JOIN (SELECT group_id, count(*) AS n FROM {{ table | ident }} GROUP BY group_id) AS g
    ON g.group_id = r.group_id GROUP BY r.{{ first | ident }}, s.{{ sensitive | ident }}
    ORDER BY expected DESC LIMIT 10;
