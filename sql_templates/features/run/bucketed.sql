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
