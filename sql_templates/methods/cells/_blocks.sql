-- name: first_groups
{# The rows of a table that belong to the first groups; the last groups are dissolved.
   in: table (assigned or regions), columns, before (the number of the first group that is
       dissolved), into
   out: table <into>, with the columns of the table #}
CREATE TABLE {{ into | ident }} AS
SELECT {{ columns | idents('x') }}
FROM {{ table | ident }} AS x
WHERE x.grp < {{ before | integer }}

-- name: rows_left
{# grain: one row
   in: table (of cells)
   out: their rows #}
SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS total
FROM {{ table | ident }} AS t
