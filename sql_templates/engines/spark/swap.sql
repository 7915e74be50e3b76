{# in: view, table
   out: the view shows that table from now on #}
CREATE OR REPLACE VIEW {{ view | spark_ident }} AS SELECT * FROM {{ table | spark_ident }}
