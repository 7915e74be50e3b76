{# Groups of a generalization that are suppressed.
   grain: one row
   in: cells, assigned, dim_<index>, attributes, levels {index: level}
   out: how many #}
SELECT COUNT(*) AS suppressed
FROM (
    SELECT DISTINCT
    {% for a in attributes %}
        d#.g{{ levels[a.index] | integer }} AS g#{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM cells AS t
    {{ attributes | each('JOIN dim_# AS d# ON d#.code = t.c#') }}
    LEFT JOIN assigned AS p
        ON {{ attributes | each('p.c# = t.c#', ' AND ') }}
    WHERE p.grp IS NULL
) AS u
