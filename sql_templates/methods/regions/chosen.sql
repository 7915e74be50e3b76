{# The cut of every open region that sheds most loss for the rows that it sets apart, among those
   whose parts all keep the promise: mean loss shed by row over the entropy of the parts' sizes (in
   nats, and a fifth).
   grain: one row per region that is cut
   in: decided, attributes
   out: table chosen(part, attribute, variant, level of the children) #}
CREATE TABLE chosen AS
SELECT r.part, r.attribute, r.variant, r.level
FROM (
    SELECT
        g.part, g.attribute, g.variant, g.level,
        ROW_NUMBER() OVER (
            PARTITION BY g.part
            ORDER BY FLOOR(g.shed / (g.entropy + 0.2) * 1000000000 + 0.5) DESC NULLS LAST,
                g.attribute NULLS LAST, g.variant NULLS LAST
        ) AS place
    FROM (
        SELECT
            v.part, v.attribute, v.variant, v.level,
            CAST(SUM(v.n * v.worth) AS DOUBLE) / SUM(v.n) / GREATEST(MAX(v.domain) - 1, 1)
                * CASE v.attribute
            {% for a in attributes %}
                WHEN # THEN CAST({{ a.policy.weight | literal }} AS DOUBLE)
            {% endfor %}
            END AS shed,
            LN(CAST(SUM(v.n) AS DOUBLE)) - SUM(v.n * LN(CAST(v.n AS DOUBLE))) / SUM(v.n) AS entropy
        FROM decided AS v
        GROUP BY v.part, v.attribute, v.variant, v.level
        HAVING COUNT(CASE WHEN NOT v.ok THEN 1 END) = 0
    ) AS g
) AS r
WHERE r.place = 1
