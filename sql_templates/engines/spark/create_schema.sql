{# in: schema, location (a folder) or none
   out: the schema #}
CREATE DATABASE IF NOT EXISTS {{ schema | spark_ident }}{% if location %}
    LOCATION {{ location | spark_literal }}{% endif %}
