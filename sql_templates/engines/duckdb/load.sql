{# in: table, columns [(name, type)]; their values are bound, one list a column
   out: the table with those rows, in the place of an older one #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT
{% for name, type in columns %}
    CAST(UNNEST(?) AS {{ type | sql_type }})
        AS {{ name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
