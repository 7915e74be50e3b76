{# The lattice of the last search, for a person to try on the catalog.
   out: (height, rule, satisfied, nodes, ms) #}
SELECT height, rule, satisfied, count(*) AS nodes, round(sum(ms)) AS ms FROM nodes GROUP BY ALL
    ORDER BY ALL;
