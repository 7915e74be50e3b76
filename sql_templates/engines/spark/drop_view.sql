{# in: view
   out: no such view #}
DROP VIEW IF EXISTS {{ view | backquoted }}
