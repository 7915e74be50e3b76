{# The commonest groups of a release, for a person to try.
   in: table, first, second (columns) #}
SELECT {{ first | ident }}, {{ second | ident }}, count(*) AS n FROM {{ table | ident }}
    GROUP BY {{ first | ident }}, {{ second | ident }} ORDER BY n DESC LIMIT 10;
