{# A table without rows.
   in: table, columns (name, type)
   out: the table #}
CREATE TABLE {{ table | ident }} AS
SELECT t.*
FROM (
    SELECT
    {% for each in columns %}
        CAST(NULL AS {{ each.type | sql_type }})
            {% if each.type == 'VARCHAR' %}COLLATE "C"{% endif %}
            AS {{ each.name | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
) AS t
WHERE 1 = 0
