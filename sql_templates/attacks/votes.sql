{# What released rows that a target's may be say of its secret: each votes for its value, or in
   parts for those of its bucket, and for all values that its own is near to.
   grain: one row per target
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps(id), attacked_words, steps,
       facet (of the secret), label (the facet of the labels of a column that is secret of some rows
       only, or none), near (whether a guess is right that is near: attacked_near)
   out: (id, how often it was drawn, its value, the most votes for a right one, the most votes for a
       wrong one, how many wrong ones have these, the greatest part of one row in the votes for a right
       value, all votes, how many right ones have the most of these) #}
SELECT
    s.id, s.n, s.truth,
    COALESCE(MAX(s.own), 0) AS own,
    COALESCE(MAX(s.best), 0) AS best,
    COUNT(CASE WHEN s.correct = 0 AND s.votes > s.best - 1e-9 THEN 1 END) AS ties,
    COALESCE(MAX(CASE WHEN s.correct = 1 THEN s.part END), 0) AS part,
    COALESCE(SUM(s.exact), 0) AS total,
    COUNT(CASE WHEN s.correct = 1 AND s.votes > s.own - 1e-9 THEN 1 END) AS rights
FROM (
    SELECT
        d.id, d.n, d.truth, d.votes, d.exact, d.part, d.correct,
        MAX(CASE WHEN d.correct = 1 THEN d.votes END) OVER (PARTITION BY d.id) AS own,
        MAX(CASE WHEN d.correct = 0 THEN d.votes END) OVER (PARTITION BY d.id) AS best
    FROM (
        SELECT
            c.id, c.n, c.v{{ facet | integer }} AS truth, v.votes, v.exact, v.part,
            {% if near %}
            CASE WHEN v.value IS NULL THEN NULL WHEN a.guess IS NULL THEN 0 ELSE 1 END AS correct
            {% else %}
            CASE WHEN v.value = c.v{{ facet | integer }} THEN 1
                WHEN v.value <> c.v{{ facet | integer }} THEN 0 END AS correct
            {% endif %}
        FROM judged_cell_steps AS c
        LEFT JOIN (
            {% if near %}
            SELECT m.cell, a.guess AS value, SUM(t.n * w.part) AS votes, MAX(w.part) AS part,
                SUM(CASE WHEN a.guess = w.value THEN t.n * w.part ELSE 0 END) AS exact
            {% else %}
            SELECT m.cell, w.value, SUM(t.n * w.part) AS votes, MAX(w.part) AS part,
                SUM(t.n * w.part) AS exact
            {% endif %}
            FROM judged_matches_{{ steps | integer }} AS m
            JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
            JOIN attacked_words AS w ON w.label = t.v{{ facet | integer }}
            {% if near %}
            JOIN attacked_near AS a ON a.truth = w.value
            GROUP BY m.cell, a.guess
            {% else %}
            GROUP BY m.cell, w.value
            {% endif %}
        ) AS v ON v.cell = c.p{{ steps | integer }}
        {% if near %}
        LEFT JOIN attacked_near AS a
            ON a.guess = v.value AND a.truth = c.v{{ facet | integer }}
        {% endif %}
        {% if label %}
        WHERE c.{{ ('v' ~ label) | ident }} = -2
        {% endif %}
    ) AS d
) AS s
GROUP BY s.id, s.n, s.truth
ORDER BY s.id
