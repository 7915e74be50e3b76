{# The labels of NULL, an empty first field, in a hierarchy of a file.
   in: table, levels
   out: (v1 …), two rows where NULL is mapped to more than one row of labels #}
SELECT DISTINCT {{ range(1, levels) | listed('p.v#') }}
FROM {{ table | ident }} AS p
WHERE p.v0 = ''
LIMIT 2
