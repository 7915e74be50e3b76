{# What is known of columns before their values are drawn.
   grain: one row per column
   in: completed_token_ranges
   out: (position, atoms but NULL, tokens, whether every token has one range, and is one atom) #}
SELECT
    r.position, MIN(r.points), COUNT(DISTINCT r.token),
    CASE WHEN COUNT(*) = COUNT(DISTINCT r.token) THEN 1 ELSE 0 END AS ranged,
    CASE WHEN COUNT(*) = COUNT(DISTINCT r.token) AND MAX(r.past - r.first) = 1
        THEN 1 ELSE 0 END AS single
FROM completed_token_ranges AS r
GROUP BY r.position
