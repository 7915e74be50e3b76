{# What released rows that a target's may be say of its secret: each votes for its value, or in
   parts for those of its bucket.
   grain: one row per target
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps(id), attacked_words, steps,
       facet (of the secret), label (the facet of the labels of a column that is secret of some rows
       only, or none)
   out: (id, how often it was drawn, its value, votes for that, the most votes for another one, how
       many others have these, the greatest part of one row in the votes for its value) #}
SELECT
    s.id, s.n, s.truth,
    COALESCE(MAX(CASE WHEN s.value = s.truth THEN s.votes END), 0) AS own,
    COALESCE(MAX(s.best), 0) AS best,
    COUNT(CASE WHEN s.value <> s.truth AND s.votes > s.best - 1e-9 THEN 1 END) AS ties,
    COALESCE(MAX(CASE WHEN s.value = s.truth THEN s.part END), 0) AS part,
    COALESCE(SUM(s.votes), 0) AS total
FROM (
    SELECT
        c.id, c.n, c.v{{ facet | integer }} AS truth, v.value, v.votes, v.part,
        MAX(CASE WHEN v.value <> c.v{{ facet | integer }} THEN v.votes END)
            OVER (PARTITION BY c.id) AS best
    FROM judged_cell_steps AS c
    LEFT JOIN (
        SELECT m.cell, w.value, SUM(t.n * w.part) AS votes, MAX(w.part) AS part
        FROM judged_matches_{{ steps | integer }} AS m
        JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
        JOIN attacked_words AS w ON w.label = t.v{{ facet | integer }}
        GROUP BY m.cell, w.value
    ) AS v ON v.cell = c.p{{ steps | integer }}
    {% if label %}
    WHERE c.{{ ('v' ~ label) | ident }} = -2
    {% endif %}
) AS s
GROUP BY s.id, s.n, s.truth
ORDER BY s.id
