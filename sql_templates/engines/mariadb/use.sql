{# in: name
   out: tables that are named without a database are of this one #}
USE {{ name | backquoted }}
