{# The commonest groups of a release, for a person to try.
   in: table, columns (quasi-identifying ones: kept columns may name single rows) #}
SELECT {{ columns | idents }}, count(*) AS n FROM {{ table | ident }}
    GROUP BY {{ columns | idents }} ORDER BY n DESC LIMIT 10;
