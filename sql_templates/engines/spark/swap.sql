{# in: view, table
   out: the view shows that table from now on #}
CREATE OR REPLACE VIEW {{ view | backquoted }} AS SELECT * FROM {{ table | backquoted }}
