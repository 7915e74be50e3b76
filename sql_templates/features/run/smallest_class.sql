{# The k of a release, for a person to try.
   in: table, columns #}
SELECT min(n) AS k
    FROM (SELECT count(*) AS n FROM {{ table | ident }} GROUP BY {{ columns | idents }}) AS classes;
