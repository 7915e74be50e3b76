{# Rows once more, whose values lie in a class of less loss than theirs, several times.
   grain: one row per draw, row and time
   in: again (a table of rows as completion/drawn makes it), numbered (the engine's template of a
       hexadecimal number), labeled, kept, times (how often),
       completed_misplaced(draw, hash), completed_components
   out: as completion/keyed has joint rows, with again: the time from 1, and own: the hash of the
       row #}
SELECT k.*, m.component, m.loss
FROM (
    SELECT
        p.draw,
        {{ labeled | each('p.t#,') }}
        {{ kept | each('p.k#,') }}
        p.combination,
        p.hash AS own,
        n.again,
        MD5(p.hash || '.component.' || CAST(n.again AS VARCHAR)) AS chosen,
        MD5(p.hash || '.again.' || CAST(n.again AS VARCHAR)) AS hash
    FROM {{ again | ident }} AS p
    JOIN completed_misplaced AS x ON x.draw = p.draw AND x.hash = p.hash
    CROSS JOIN (
        {% for time in times %}
        SELECT {{ time | integer }} AS again{% if not loop.last %} UNION ALL{% endif +%}
        {% endfor %}
    ) AS n
) AS k
JOIN completed_components AS m
    ON m.combination = k.combination
    AND m.first <= {% with digits = ['k', 'chosen'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith +%}
    AND m.past > {% with digits = ['k', 'chosen'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith +%}
