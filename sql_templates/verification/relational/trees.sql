{# The kinds of whole trees: the class of a row with the kinds of trees below it, as often as each.
   grain: one row per row
   in: number (of the table), lower (the numbers of the tables that refer to it), verified_<number>,
       whole_<number> of those
   out: a SELECT of (id, parent, kind) #}
SELECT v.id, v.parent, DENSE_RANK() OVER (
    ORDER BY v.alike NULLS FIRST {{ lower | each(', s#.kinds NULLS FIRST') }}
) AS kind
FROM {{ ('verified_' ~ number) | ident }} AS v
{% for each in lower %}
LEFT JOIN (
    SELECT c.parent, STRING_AGG(CAST(c.kind AS VARCHAR), ' ' ORDER BY c.kind NULLS FIRST) AS kinds
    FROM {{ ('whole_' ~ each) | ident }} AS c
    GROUP BY c.parent
) AS s{{ each | integer }} ON s{{ each | integer }}.parent = v.id
{% endfor %}
