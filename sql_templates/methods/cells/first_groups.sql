{# The rows of a table that belong to the first groups; the last groups are dissolved.
   in: table (assigned or regions), columns, before (the number of the first group that is
       dissolved), into
   out: table <into>, with the columns of the table #}
CREATE TABLE {{ into | ident }} AS
SELECT {{ columns | idents('x') }}
FROM {{ table | ident }} AS x
WHERE x.grp < {{ before | integer }}
