{# in: schema, location (a folder) or none
   out: the schema #}
CREATE DATABASE IF NOT EXISTS {{ schema | backquoted }}{% if location %}
    LOCATION {{ location | escaped }}{% endif %}
