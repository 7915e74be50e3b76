{# Rows in the order of a keyed hash of the text of what is released of them; by chance where that
   text is the same (it is for NULL and 'null'). 64 bits of it take less room in the sort than its
   32 digits. Comments and declared lengths of the source's columns go with casts; a comment on a
   column would follow it into the release otherwise.
   in: rows (a view), types [(name, type, or none for what is nested)], ordering (a name that no
       column has), fresh_salt, table
   out: the table, rows in that order on each machine, which has those of some hashes #}
CREATE TABLE {{ table | backquoted }} AS
SELECT
{% for name, type in types %}
    o.{{ name | backquoted }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT
        r.*,
        XXHASH64(MD5(CONCAT((SELECT z.salt FROM fresh_salt AS z), CAST(STRUCT(r.*) AS STRING))))
            AS {{ ordering | backquoted }}
    FROM (
        SELECT
        {% for name, type in types %}
            {% if type %}CAST(s.{{ name | backquoted }} AS {{ type | sql_type }})
            {% else %}IF(TRUE, s.{{ name | backquoted }}, NULL)
            {% endif %} AS {{ name | backquoted }}{% if not loop.last %},{% endif +%}
        {% endfor %}
        FROM {{ rows | backquoted }} AS s
    ) AS r
) AS o
DISTRIBUTE BY o.{{ ordering | backquoted }}
SORT BY o.{{ ordering | backquoted }}, RAND()
