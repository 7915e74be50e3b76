{# in: schema
   out: names without a schema mean tables of that one #}
USE {{ schema | backquoted }}
