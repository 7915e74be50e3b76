{# Whether the groups that rows come from are those of a generalization: rows of one group have the
   same labels, of two others.
   grain: one row
   in: assigned, dim_<index>, attributes, levels {index: level}
   out: how many groups and combinations of labels do not go together #}
SELECT 2 * COUNT(*) - COUNT(DISTINCT u.home) - (
    SELECT COUNT(*)
    FROM (
        SELECT DISTINCT
        {% for a in attributes %}
            e#.g{{ levels[a.index] | integer }} AS g#{% if not loop.last %},{% endif +%}
        {% endfor %}
        FROM assigned AS q
        {{ attributes | each('JOIN dim_# AS e# ON e#.code = q.c#') }}
    ) AS v
) AS confused
FROM (
    SELECT DISTINCT
        p.home
    {% for a in attributes %}
        , d#.g{{ levels[a.index] | integer }} AS g#
    {% endfor %}
    FROM assigned AS p
    {{ attributes | each('JOIN dim_# AS d# ON d#.code = p.c#') }}
) AS u
