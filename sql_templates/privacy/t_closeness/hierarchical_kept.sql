{# t-closeness by the hierarchical distance (Li et al. 2007, section 4.2): what must pass between a
   group of the hierarchy and the rest is |share in the class - in the table|; summed over the
   groups of every level below the top and divided by twice the height, that is the earth mover's
   distance. Groups that the class lacks count by what the others leave of the reference, as in
   privacy/t_closeness/equal_kept.
   grain: one row per combination of the keys that has rows of the table
   in: see privacy/classes; model, groups_<index>
   out: a SELECT of (keys, n: none, ok) #}
SELECT
    {{ keys | idents('h') }},
    CAST(NULL AS BIGINT) AS n,
    (SUM(ABS(h.own_amount / h.own_total - h.own_share) - h.own_share)
        + {{ model.height | integer }}) / {{ (2 * model.height) | integer }}
        <= {{ (model.bound + promise.slack + promise.tolerance) | number }} AS ok
FROM (
    SELECT
        {{ keys | idents('a') }},
        a.own_share,
        CAST(a.n AS DOUBLE) AS own_amount,
        CAST(SUM(a.n) OVER (PARTITION BY {{ keys | idents('a') }},
            a.own_level) AS DOUBLE) AS own_total
    FROM (
        SELECT {{ keys | idents('f') }}, g.level AS own_level, g.up AS own_up,
            MAX(g.share) AS own_share, SUM(f.n) AS n
        FROM {{ table | ident }} AS f
        JOIN {{ ('groups_' ~ model.index) | ident }} AS g
            ON g.code = f.{{ ('x' ~ model.index) | ident }}
        WHERE f.n > 0
        GROUP BY {{ keys | idents('f') }}, g.level, g.up
    ) AS a
) AS h
GROUP BY {{ keys | idents('h') }}
