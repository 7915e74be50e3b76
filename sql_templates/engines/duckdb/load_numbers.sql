{# in: given (arrays that the connection knows by that name), columns (their names), table
   out: the table with those columns, in the place of an older one #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT {{ columns | idents('g') }} FROM {{ given | ident }} AS g
