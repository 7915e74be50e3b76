{# Rows of the source and released ones numbered by the whole trees below them: what a row holds,
   with the trees of the rows that refer to it, as often as each.
   grain: one row per row of the source and per released row
   in: number (of the table), lower (the numbers of the tables that refer to it), both_<number>,
       tree_<number> of those
   out: a SELECT of (was: the key in the source, now: the released one, was_of and now_of: the keys
        that it refers to, none of people, tree: number of the tree) #}
SELECT
    v.was,
    v.now,
    {% if number > 1 %}v.was_of, v.now_of,{% endif +%}
    DENSE_RANK() OVER (
        ORDER BY v.own NULLS FIRST
            {{ lower | each(', COALESCE(s#.trees, r#.trees) NULLS FIRST') }}
    ) AS tree
FROM {{ ('both_' ~ number) | ident }} AS v
{% for each in lower %}
{% for side, of in [('s', 'was'), ('r', 'now')] %}
LEFT JOIN (
    SELECT c.{{ (of ~ '_of') | ident }} AS parent,
        STRING_AGG(CAST(c.tree AS VARCHAR), ' ' ORDER BY c.tree NULLS FIRST) AS trees
    FROM {{ ('tree_' ~ each) | ident }} AS c
    WHERE c.{{ of | ident }} IS NOT NULL
    GROUP BY c.{{ (of ~ '_of') | ident }}
) AS {{ (side ~ each) | ident }} ON {{ (side ~ each) | ident }}.parent = v.{{ of | ident }}
{% endfor %}
{% endfor %}
