{# The rows of a table as whole numbers.
   grain: one row per row
   in: coded (see relational/coded), cells (see relational/cells), attributes, sensitive (columns)
   out: a SELECT of (id, parent, person, cell, x<index>: codes of sensitive values) #}
SELECT t.id, t.parent, t.person, e.cell{{ sensitive | each(', t.x#') }}
FROM {{ coded | ident }} AS t
JOIN {{ cells | ident }} AS e
    ON e.up = t.up {{ attributes | each('AND e.c# = t.c#') }}
