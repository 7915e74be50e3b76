{# in: view
   out: the view is gone #}
DROP VIEW IF EXISTS {{ view | backquoted }}
