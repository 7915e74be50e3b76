{# The rows of a table as whole numbers.
   grain: one row per row
   in: coded (see relational/coded), cells (see relational/cells), attributes
   out: a SELECT of (id, parent, person, cell) #}
SELECT t.id, t.parent, t.person, e.cell
FROM {{ coded | ident }} AS t
JOIN {{ cells | ident }} AS e
    ON e.up = t.up {{ attributes | each('AND e.c# = t.c#') }}
