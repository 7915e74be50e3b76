{# Rows sorted by their content on each machine, which has those of some hashes of it: a table of
   Spark's is a set of files, and has no order of its own. Comments and declared lengths of the
   source's columns go with casts; a comment on a column would follow it into the release otherwise.
   in: rows (a view), types [(name, type, or none for what is nested)], sorted (the columns that rows
       are sorted by, see release/macros), table
   out: the table #}
CREATE TABLE {{ table | backquoted }} AS
SELECT r.*
FROM (
    SELECT
    {% for name, type in types %}
        {% if type %}CAST(s.{{ name | backquoted }} AS {{ type | sql_type }})
        {% else %}IF(TRUE, s.{{ name | backquoted }}, NULL)
        {% endif %} AS {{ name | backquoted }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM {{ rows | backquoted }} AS s
) AS r
DISTRIBUTE BY XXHASH64(CAST(STRUCT(
{% for c in sorted %}
    r.{{ c.name | backquoted }}{% if not loop.last %},{% endif +%}
{% endfor %}
) AS STRING))
SORT BY
{% for c in sorted %}
    {% if c.order != 'text' %}r.{{ c.name | backquoted }} NULLS FIRST{% endif %}
    {% if c.order == 'both' %}, {% endif %}
    {% if c.order != 'value' %}CAST(r.{{ c.name | backquoted }} AS STRING) NULLS FIRST{% endif %}
    {% if not loop.last %},{% endif +%}
{% endfor %}
