{# Cuts that bundle the children which do not keep the promise into a rest, which stays at the
   region's own node; in a second variant the smallest child that does is bundled with them.
   grain: one row per region, attribute, variant (0 or 1), slot (a child, or -1: the rest) and
       promise.extras
   in: children, verdicts, promise
   out: table slots(part, attribute, level, variant, slot, worth: leaves that a row sheds, domain,
       promise.extras, promise.weights) #}
CREATE TABLE slots AS
SELECT
    u.part, u.attribute, u.level, u.variant, u.slot, u.worth, u.domain
    {{ promise.extras | each(', u.@') }}
    {{ promise.weights | each(', CAST(SUM(u.@) AS BIGINT) AS @') }}
FROM (
    SELECT
        c.part, c.attribute, c.level, b.variant,
        CASE WHEN r.rank > b.variant THEN c.slot ELSE -1 END AS slot,
        CASE WHEN r.rank > b.variant THEN c.worth ELSE 0 END AS worth,
        c.domain
        {{ (promise.extras + promise.weights) | each(', c.@') }}
    FROM children AS c
    JOIN (
        SELECT
            v.part, v.attribute, v.slot,
            CASE WHEN v.ok THEN ROW_NUMBER() OVER (
                PARTITION BY v.part, v.attribute, v.ok ORDER BY v.n NULLS LAST, v.slot NULLS LAST
            ) ELSE 0 END AS rank,
            COUNT(*) OVER (PARTITION BY v.part, v.attribute) AS slots,
            SUM(CASE WHEN v.ok THEN 1 ELSE 0 END) OVER (PARTITION BY v.part, v.attribute) AS kept
        FROM verdicts AS v
    ) AS r ON r.part = c.part AND r.attribute = c.attribute AND r.slot = c.slot
    CROSS JOIN (VALUES (0), (1)) AS b (variant)
    WHERE r.kept > b.variant AND (b.variant = 0 OR r.kept < r.slots)
) AS u
GROUP BY u.part, u.attribute, u.level, u.variant, u.slot, u.worth,
    u.domain{{ promise.extras | each(', u.@') }}
