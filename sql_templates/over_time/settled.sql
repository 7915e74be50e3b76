{# One step towards a release that keeps the promise over time: parts that do not keep it are held
   back; and where too few rows of a trace are absent, as many more as are lacking, drawn from the
   largest part that is left where that can spare them, or else its whole smallest part.
   grain: one row per trace and class
   in: parts, judged (trace, part, n, ok), k, protect (whether absent rows are protected), draw
       (whether rows may be drawn), known: the coded columns, by index, whose values must be the
       source's for absent rows to keep a promise; standing where there are such
   out: table next_parts, as parts #}
CREATE TABLE next_parts AS
SELECT
    v.trace, v.part, v.n,
    v.out OR NOT v.ok OR (v.short AND NOT v.spares AND v.smallest = 1) AS out,
    CASE WHEN v.short AND v.spares AND v.largest = 1 AND v.ok AND NOT v.out
        THEN v.drawn + v.lacking ELSE v.drawn END AS drawn
FROM (
    SELECT
        u.*,
        {% if draw %}
        u.lacking > 0 AND u.most - u.lacking >= {{ k | integer }} AS spares,
        {% else %}
        FALSE AS spares,
        {% endif %}
        {% if protect %}
        u.trace <> 0 AND u.lacking IS NOT NULL AND u.failing = 0 AS short,
        {% else %}
        FALSE AS short,
        {% endif %}
        ROW_NUMBER() OVER (
            PARTITION BY u.trace
            ORDER BY CASE WHEN u.ok AND NOT u.out THEN 0 ELSE 1 END NULLS FIRST,
            u.n - u.drawn NULLS FIRST, u.part NULLS FIRST
        ) AS smallest,
        ROW_NUMBER() OVER (
            PARTITION BY u.trace
            ORDER BY CASE WHEN u.ok AND NOT u.out THEN 0 ELSE 1 END NULLS FIRST,
            u.n - u.drawn DESC NULLS LAST, u.part NULLS FIRST
        ) AS largest
    FROM (
        SELECT
            p.trace, p.part, p.n, p.out, p.drawn,
            COALESCE(j.ok, TRUE) AS ok,
            {{ k | integer }} - a.n AS lacking,
            MAX(CASE WHEN NOT p.out THEN p.n - p.drawn END) OVER (PARTITION BY p.trace) AS most,
            SUM(CASE WHEN j.ok THEN 0 WHEN p.out THEN 0 ELSE 1 END)
                OVER (PARTITION BY p.trace) AS failing
        FROM parts AS p
        LEFT JOIN judged AS j ON j.trace = p.trace AND j.part = p.part
        LEFT JOIN (
            SELECT b.trace, b.n
            FROM judged AS b
            {% if known %}
            LEFT JOIN (
                SELECT DISTINCT w.trace
                FROM standing AS w
                WHERE w.part = 0 AND ({{ known | each('w.x# = -1', ' OR ') }})
            ) AS g ON g.trace = b.trace
            {% endif %}
            WHERE b.part = 0 AND (NOT b.ok{% if known %} OR g.trace IS NOT NULL{% endif %})
        ) AS a ON a.trace = p.trace
    ) AS u
) AS v
