{# The keys of a released table.
   grain: one row
   in: table, key
   out: (rows, keys, different keys, the least and the greatest) #}
SELECT COUNT(*) AS total, COUNT(p.{{ key | ident }}) AS keys,
    COUNT(DISTINCT p.{{ key | ident }}) AS different,
    MIN(p.{{ key | ident }}) AS least, MAX(p.{{ key | ident }}) AS most
FROM {{ table | ident }} AS p
