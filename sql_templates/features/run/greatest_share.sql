{# The l of a release by anatomy: no sensitive value has a greater share of a group than 1/l. For a
   person to try.
   in: table, apart (the table of sensitive values) #}
SELECT max(s.count * 1.0 / g.n) AS greatest_share FROM {{ apart | ident }} AS s
    JOIN (SELECT group_id, count(*) AS n FROM {{ table | ident }} GROUP BY group_id) AS g
    ON g.group_id = s.group_id;
