{# What no group has been found for.
   grain: one row per cell (and promise.extras)
   in: table (of cells), kept, levels, attributes, into
   out: table <into>, those cells #}
CREATE TABLE {{ into | ident }} AS
SELECT t.*
FROM {{ table | ident }} AS t
LEFT JOIN kept AS x
    ON
    {% for a in attributes %}
        {{ a | sql('x.g# = ') }}{% include 'methods/cells/code.sql' +%}
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
WHERE x.grp IS NULL
