{# What no group has been found for.
   grain: one row per cell (and promise.extras)
   in: table (of cells), kept, levels, attributes, into
   out: table <into>, those cells #}
{% from 'methods/cells/macros.sql' import code %}
CREATE TABLE {{ into | ident }} AS
SELECT t.*
FROM {{ table | ident }} AS t
LEFT JOIN kept AS x
    ON
    {% for a in attributes %}
        x.g# = {{ code(a, levels) }}
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
WHERE x.grp IS NULL
