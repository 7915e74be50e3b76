{# What released rows that a target's may be say of the person's secret: each votes for its value, or
   for all values that this is near to. A value is right if the person has it in any row.
   grain: one row per target
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps(id, who), attacked_part_owners,
       attacked_truths(who, value), steps, facet (of the secret), taken (whether the person's own
       released rows do not vote), near (whether a guess is right that is near: attacked_near)
   out: (id, who, its rows, the most votes for a right value, the most votes for a wrong one, how many
       wrong ones have these, how many right ones have the most of theirs, all votes, how many values
       have votes) #}
WITH said AS (
    SELECT m.cell, {% if near %}a.guess{% else %}t.v{{ facet | integer }}{% endif %} AS value,
        SUM(t.n) AS votes,
        SUM({% if near %}CASE WHEN a.guess = a.truth THEN t.n ELSE 0 END{% else %}t.n{% endif %})
            AS exact
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
    {% if near %}
    JOIN attacked_near AS a ON a.truth = t.v{{ facet | integer }}
    {% endif %}
    GROUP BY m.cell, {% if near %}a.guess{% else %}t.v{{ facet | integer }}{% endif +%}
),
{% if taken %}
own AS (
    SELECT c.id, {% if near %}a.guess{% else %}t.v{{ facet | integer }}{% endif %} AS value,
        SUM(o.w) AS votes,
        SUM({% if near %}CASE WHEN a.guess = a.truth THEN o.w ELSE 0 END{% else %}o.w{% endif %})
            AS exact
    FROM judged_cell_steps AS c
    JOIN judged_matches_{{ steps | integer }} AS m ON m.cell = c.p{{ steps | integer }}
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
    JOIN attacked_part_owners AS o ON o.id = t.id AND o.who = c.who
    {% if near %}
    JOIN attacked_near AS a ON a.truth = t.v{{ facet | integer }}
    {% endif %}
    GROUP BY c.id, {% if near %}a.guess{% else %}t.v{{ facet | integer }}{% endif +%}
),
{% endif %}
rights AS (
    {% if near %}
    SELECT DISTINCT h.who, a.guess AS value
    FROM attacked_truths AS h
    JOIN attacked_near AS a ON a.truth = h.value
    {% else %}
    SELECT h.who, h.value FROM attacked_truths AS h
    {% endif %}
),
judged AS (
    SELECT
        c.id, c.who, c.n,
        s.votes{% if taken %} - COALESCE(o.votes, 0){% endif %} AS votes,
        s.exact{% if taken %} - COALESCE(o.exact, 0){% endif %} AS exact,
        CASE WHEN s.value IS NULL THEN NULL WHEN r.value IS NULL THEN 0 ELSE 1 END AS correct
    FROM judged_cell_steps AS c
    LEFT JOIN said AS s ON s.cell = c.p{{ steps | integer }}
    {% if taken %}
    LEFT JOIN own AS o ON o.id = c.id AND o.value = s.value
    {% endif %}
    LEFT JOIN rights AS r ON r.who = c.who AND r.value = s.value
)
SELECT
    b.id, b.who, b.n,
    COALESCE(MAX(b.own), 0) AS own,
    COALESCE(MAX(b.best), 0) AS best,
    COUNT(CASE WHEN b.correct = 0 AND b.votes > b.best - 1e-9 THEN 1 END) AS ties,
    COUNT(CASE WHEN b.correct = 1 AND b.votes > b.own - 1e-9 THEN 1 END) AS rights,
    COALESCE(SUM(b.exact), 0) AS total,
    COUNT(CASE WHEN b.votes > 1e-9 THEN 1 END) AS said
FROM (
    SELECT
        j.id, j.who, j.n, j.votes, j.exact, j.correct,
        MAX(CASE WHEN j.correct = 1 THEN j.votes END) OVER (PARTITION BY j.id) AS own,
        MAX(CASE WHEN j.correct = 0 THEN j.votes END) OVER (PARTITION BY j.id) AS best
    FROM judged AS j
) AS b
GROUP BY b.id, b.who, b.n
ORDER BY b.id
