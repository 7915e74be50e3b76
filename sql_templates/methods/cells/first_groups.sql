{# The groups but the last, which are taken back.
   in: table (assigned or regions), columns, before (the first group that is taken back), into
   out: table <into>, the rest of it #}
CREATE TABLE {{ into | ident }} AS
SELECT {{ columns | idents('x') }}
FROM {{ table | ident }} AS x
WHERE x.grp < {{ before | integer }}
