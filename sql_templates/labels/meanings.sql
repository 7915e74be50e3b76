{# Everything that released values can stand for, by the ways in which columns can be released.
   grain: one row per way, value and meaning
   in: shapes (one row per way: shape, col, form, kind: of its hierarchy, tree: its number, height,
       lowest and highest: the levels that a label is looked for at, least: that of the elements of
       sets, top, over: whether a label may be of the top, too, withheld, bounded, leaves_lo,
       leaves_hi: how many leaves the hierarchy has, lists_null, mask_length, from_right, step: from
       the end of a calendar unit to the next, in microseconds, cut: 1 where bounds are cut to
       BIGINT, 2 where to HUGEINT, else 0, one_less: whether an upper bound may be one less), units
       (shape, level, unit: of the calendar, width, origin, scale: of intervals, in whole units of
       10**-scale; of breaks and keyed codes unit is a label, origin and width where its interval
       begins and the next one), sets, ranges, names (whether any form has these), ordered (whether
       there is labels_places), the tables labels_values, labels_nodes and labels_places
   out: table labels_meanings(shape, id: of the value, fits: whether the bounds are those of the
       meaning) #}
{% from 'labels/macros.sql' import number_of, decimal_of, moment_of, digits_of, same_number,
    units_of, is_interval, elements_of, element_of, unit_begins %}
CREATE OR REPLACE TABLE labels_meanings AS
WITH
shapes AS (
    SELECT
        g.shape, g.col, g.form, g.kind, CAST(g.tree AS INTEGER) AS tree, g.height, g.lowest,
        g.highest, g.least, g.top, g.over, g.withheld, g.bounded, g.leaves_lo,
        CAST(g.leaves_hi AS BIGINT) AS leaves_hi, g.lists_null, CAST(g.mask_length AS INTEGER)
            AS mask_length, g.from_right, g.step, g.cut, g.one_less
    FROM (VALUES {{ shapes | rows }}) AS g (shape, col, form, kind, tree, height, lowest, highest,
        least, top, over, withheld, bounded, leaves_lo, leaves_hi, lists_null, mask_length,
        from_right, step, cut, one_less)
),
units AS (
    SELECT
        g.shape, g.level, CAST(g.unit AS VARCHAR) AS unit, CAST(g.width AS VARCHAR) AS width,
        CAST(g.origin AS VARCHAR) AS origin, CAST(g.scale AS INTEGER) AS scale
    FROM (VALUES {{ units | rows }}) AS g (shape, level, unit, width, origin, scale)
),
released AS (
    SELECT s.*, v.id, v.label, v.listed
    FROM labels_values AS v
    JOIN shapes AS s ON s.col = v.col
),
{% if sets %}
written AS MATERIALIZED (  {# else labels are taken apart again and again #}

    SELECT
        r.shape, r.id, r.label, r.least,
        MIN(r.id) OVER (PARTITION BY r.shape, r.label) AS same,
        {{ elements_of(['r', 'label']) }} AS elements
    FROM released AS r
    WHERE r.form = 'set' AND r.label IS NOT NULL
),
parts AS (
    SELECT
        w.shape, w.id, w.label, w.least, w.same, LENGTH(w.elements) AS parts,
        UNNEST(w.elements) AS element, UNNEST(RANGE(LENGTH(w.elements))) AS part
    FROM written AS w
),
elements AS MATERIALIZED (
    SELECT
        p.shape, p.id, p.label, p.least, p.same, p.parts, p.part,
        {{ element_of(['p', 'element']) }} AS word
    FROM parts AS p
),
mentions AS (
    SELECT q.shape, q.word, COUNT(*) AS n
    FROM (
        SELECT d.shape, d.word
        FROM (SELECT DISTINCT e.shape, e.same, e.word FROM elements AS e) AS d
        UNION ALL
        SELECT w.shape, w.label AS word FROM written AS w
    ) AS q
    GROUP BY q.shape, q.word
),
surely_sets AS (
    SELECT DISTINCT e.shape, e.id
    FROM elements AS e
    JOIN mentions AS m ON m.shape = e.shape AND m.word IS NOT DISTINCT FROM e.word AND m.n > 1
    JOIN mentions AS o ON o.shape = e.shape AND o.word = e.label AND o.n = 1
    WHERE e.parts > 1
),
{% endif %}
plain AS (
    SELECT r.*
    FROM released AS r
    {% if sets %}
    LEFT JOIN surely_sets AS c ON c.shape = r.shape AND c.id = r.id
    {% endif %}
    WHERE r.listed IS NULL {% if sets %}AND c.id IS NULL{% endif %}
),
in_sets AS (
    SELECT
        r.shape, r.id, UNNEST(RANGE(LENGTH(r.listed))) AS part,
        LENGTH(r.listed) AS parts, UNNEST(r.listed) AS word, r.least AS level
    FROM released AS r
    WHERE r.listed IS NOT NULL
    {% if sets %}
    UNION ALL
    SELECT e.shape, e.id, e.part, e.parts, e.word, e.least AS level
    FROM elements AS e
    {% endif %}
),
asked AS (
    SELECT
        p.shape, p.id, 'own' AS purpose, 0 AS part, 1 AS parts, p.label AS word,
        UNNEST(RANGE(p.lowest, p.highest + 1)) AS level
    FROM plain AS p
    UNION ALL
    SELECT
        p.shape, p.id, 'top' AS purpose, 0 AS part, 1 AS parts, p.label AS word,
        UNNEST(CASE WHEN p.top = p.height THEN [p.height] ELSE [p.top, p.height] END) AS level
    FROM plain AS p
    WHERE p.over AND p.label IS NOT NULL
    UNION ALL
    SELECT DISTINCT
        q.shape, CAST(NULL AS BIGINT) AS id, 'set' AS purpose, 0 AS part, 1 AS parts, q.word,
        q.level
    FROM in_sets AS q
    {% if ranges %}
    UNION ALL
    SELECT i.shape, i.id, 'range' AS purpose, g.part, 2 AS parts,
        CASE g.part WHEN 0 THEN REGEXP_EXTRACT(i.label, '^\[([^,]*),', 1)
            ELSE REGEXP_EXTRACT(i.label, ',([^,]*)\]$', 1) END AS word,
        0 AS level
    FROM plain AS i
    CROSS JOIN (VALUES (0), (1)) AS g (part)
    WHERE i.form IN ('range', 'numbers')
        AND REGEXP_FULL_MATCH(i.label, '\[([^\[\](),]*),([^\[\](),]*)\]')
    {% endif %}
    {% if names %}
    UNION ALL
    SELECT c.shape, c.id, 'names' AS purpose, 2 * c.cut + g.part AS part, 2 AS parts,
        CASE g.part WHEN 0 THEN LEFT(c.label, c.cut - 1) ELSE SUBSTRING(c.label, c.cut + 3) END
            AS word,
        0 AS level
    FROM (
        SELECT l.shape, l.id, l.label, UNNEST(LIST_FILTER(RANGE(1, LENGTH(l.label) - 1),
            LAMBDA i: SUBSTRING(l.label, i, 3) = ' … ')) AS cut
        FROM plain AS l
        WHERE l.form = 'names'
    ) AS c
    CROSS JOIN (VALUES (0), (1)) AS g (part)
    {% endif %}
),
texts AS (
    SELECT
        a.*, s.kind, s.tree, s.height, s.lists_null, s.mask_length, s.from_right, s.step, s.cut,
        s.one_less, u.unit, u.width, u.origin, u.scale,
        CASE WHEN a.purpose = 'range' OR (a.level = 0 AND s.kind NOT IN ('tree', 'mask'))
            THEN a.word END AS point_text,
        CASE WHEN s.kind = 'interval' AND u.level IS NOT NULL
            THEN REGEXP_EXTRACT(a.word, '^\[(-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)),'
                || '(-?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\)$', ['low', 'high']) END AS ends
    FROM asked AS a
    JOIN shapes AS s ON s.shape = a.shape
    LEFT JOIN units AS u ON u.shape = a.shape AND u.level = a.level
        AND (s.kind NOT IN ('breaks', 'keyed') OR u.unit = a.word)
),
numbers AS (
    SELECT
        t.*,
        CASE WHEN t.kind = 'breaks' THEN t.origin ELSE t.ends.low END AS low_text,
        CASE WHEN t.kind = 'breaks' THEN t.width ELSE t.ends.high END AS high_text,
        {{ number_of(['t', 'point_text']) }} AS p_number,
        {{ moment_of(['t', 'point_text']) }} AS p_moment,
        {{ decimal_of(['t', 'point_text']) }} AS p_exact,
        CASE
            WHEN t.kind = 'date' AND t.unit IS NOT NULL
            THEN {{ unit_begins(['t', 'unit'], ['t', 'word'], False) }}
            WHEN t.kind = 'breaks' THEN TRY_CAST(t.origin AS DATE) END AS first_day,
        CASE
            WHEN t.kind = 'date' AND t.unit IS NOT NULL
            THEN {{ unit_begins(['t', 'unit'], ['t', 'word'], True) }}
            WHEN t.kind = 'breaks' THEN TRY_CAST(t.width AS DATE) END AS next_day
    FROM texts AS t
),
points AS (
    SELECT
        w.*,
        {{ digits_of(['w', 'p_number'], ['w', 'point_text']) }} AS p_digits,
        {{ number_of(['w', 'low_text']) }} AS low_number,
        {{ number_of(['w', 'high_text']) }} AS high_number,
        {{ units_of(['w', 'low_text'], ['w', 'scale']) }} AS low_units,
        {{ units_of(['w', 'high_text'], ['w', 'scale']) }} AS high_units
    FROM numbers AS w
),
ends AS (
    SELECT
        e.*,
        {{ digits_of(['e', 'low_number'], ['e', 'low_text']) }} AS low_digits,
        {{ digits_of(['e', 'high_number'], ['e', 'high_text']) }} AS high_digits,
        CASE
            WHEN e.kind = 'tree' THEN NULL
            WHEN e.level = e.height THEN e.word = '*'
            WHEN e.word IS NULL THEN TRUE
            WHEN e.kind = 'mask' THEN LENGTH(e.word) <= e.mask_length
                AND CASE WHEN e.from_right
                    THEN RIGHT(e.word, LEAST(e.level, LENGTH(e.word)))
                    ELSE LEFT(e.word, LEAST(e.level, LENGTH(e.word)))
                    END = REPEAT('*', LEAST(e.level, LENGTH(e.word)))
            WHEN e.level = 0 THEN CASE e.kind
                WHEN 'interval' THEN e.p_number IS NOT NULL OR e.p_moment IS NOT NULL
                WHEN 'breaks' THEN e.p_number IS NOT NULL OR e.p_moment IS NOT NULL
                WHEN 'date' THEN e.p_moment IS NOT NULL
                ELSE TRUE END
            WHEN e.kind IN ('breaks', 'keyed') THEN e.unit IS NOT NULL
            WHEN e.kind = 'interval' THEN
                {{ is_interval(['e', 'low_units'], ['e', 'high_units'], ['e', 'width'],
                    ['e', 'origin']) }}
            WHEN e.kind = 'date' THEN e.first_day IS NOT NULL AND e.next_day IS NOT NULL
            ELSE FALSE END AS known
    FROM points AS e
),
answers AS (
    SELECT
        k.shape, k.id, k.purpose, k.part, k.parts, k.word, k.level, k.kind,
        k.p_number, k.p_moment, k.p_exact, k.p_digits,
        CASE WHEN k.kind = 'tree' THEN COALESCE(n.leaves, 1) ELSE 1 END AS leaves_lo,
        CASE
            WHEN k.kind = 'tree'
            THEN COALESCE(n.leaves, 1)
                + CASE WHEN k.level = k.height AND NOT k.lists_null THEN 1 ELSE 0 END
            WHEN k.level = k.height THEN NULL
            WHEN k.level = 0 OR k.word IS NULL THEN 1 END AS leaves_hi,
        CASE
            WHEN k.kind = 'tree' THEN n.leaves IS NULL OR n.nulls > 0 OR k.level = k.height
            ELSE k.level = k.height OR k.word IS NULL END AS may_lack,
        k.level = k.height AS whole,
        k.one_less AND k.low_text IS NOT NULL AND k.low_text <> '' AS one_less,
        CASE
            WHEN k.kind = 'tree' THEN n.lo_number
            WHEN k.level = 0 THEN k.p_number
            WHEN k.cut = 1 AND k.low_number IS NOT NULL
            THEN GREATEST(k.low_number, -9223372036854775808e0)
            ELSE k.low_number END AS lo_number,
        CASE
            WHEN k.kind = 'tree' THEN n.hi_number
            WHEN k.level = 0 THEN k.p_number
            WHEN k.cut = 1 AND k.high_number IS NOT NULL
            THEN LEAST(k.high_number, 9223372036854775808e0) - 1
            WHEN k.cut = 2 THEN k.high_number - 1
            ELSE k.high_number END AS hi_number,
        CASE
            WHEN k.kind = 'tree' THEN n.lo_moment
            WHEN k.level = 0 THEN k.p_moment
            ELSE EPOCH_US(CAST(k.first_day AS TIMESTAMP)) END AS lo_moment,
        CASE
            WHEN k.kind = 'tree' THEN n.hi_moment
            WHEN k.level = 0 THEN k.p_moment
            ELSE EPOCH_US(CAST(k.next_day AS TIMESTAMP)) - k.step END AS hi_moment,
        CASE WHEN k.kind = 'tree' THEN n.digits
            WHEN k.level = 0 THEN k.p_digits ELSE k.low_digits END AS lo_digits,
        CASE WHEN k.kind = 'tree' THEN n.digits
            WHEN k.level = 0 THEN k.p_digits ELSE k.high_digits END AS hi_digits
    FROM ends AS k
    LEFT JOIN labels_nodes AS n
        ON n.tree = k.tree AND n.level = k.level AND n.label IS NOT DISTINCT FROM k.word
    WHERE CASE
        WHEN k.kind = 'tree'
        THEN n.leaves IS NOT NULL OR (k.word IS NULL AND NOT k.lists_null AND k.level < k.height)
        ELSE k.known END
),
meanings AS (
    SELECT
        a.shape, a.id, a.leaves_lo, a.leaves_hi, a.may_lack, a.whole, a.one_less,
        a.lo_number, a.hi_number, a.lo_moment, a.hi_moment, a.lo_digits, a.hi_digits
    FROM answers AS a
    WHERE a.purpose IN ('own', 'top')
    UNION ALL
    SELECT
        p.shape, p.id, p.leaves_lo, p.leaves_hi, TRUE AS may_lack, TRUE AS whole,
        FALSE AS one_less, NULL, NULL, NULL, NULL, NULL, NULL
    FROM plain AS p
    WHERE p.over AND p.label = '*'
    UNION ALL
    SELECT
        r.shape, r.id, 1, 1, TRUE AS may_lack, FALSE AS whole,
        FALSE AS one_less, NULL, NULL, NULL, NULL, NULL, NULL
    FROM released AS r
    WHERE r.withheld AND r.label IS NULL AND r.listed IS NULL
    UNION ALL
    SELECT
        e.shape, e.id, SUM(a.leaves_lo),
        CASE WHEN COUNT(a.leaves_hi) = COUNT(*) THEN SUM(a.leaves_hi) END,
        TRUE AS may_lack, FALSE AS whole, BOOL_OR(a.one_less) AS one_less,
        CASE WHEN COUNT(a.lo_number) = COUNT(*) THEN MIN(a.lo_number) END,
        CASE WHEN COUNT(a.hi_number) = COUNT(*) THEN MAX(a.hi_number) END,
        CASE WHEN COUNT(a.lo_moment) = COUNT(*) THEN MIN(a.lo_moment) END,
        CASE WHEN COUNT(a.hi_moment) = COUNT(*) THEN MAX(a.hi_moment) END,
        CASE WHEN COUNT(*) = 1 THEN MIN(a.lo_digits) END,
        CASE WHEN COUNT(*) = 1 THEN MIN(a.hi_digits) END
    FROM in_sets AS e
    JOIN answers AS a
        ON a.purpose = 'set' AND a.shape = e.shape AND a.word IS NOT DISTINCT FROM e.word
    GROUP BY e.shape, e.id
    HAVING COUNT(*) = MAX(e.parts)
        AND COUNT(*) = COUNT(DISTINCT e.word) + MAX(CASE WHEN e.word IS NULL THEN 1 ELSE 0 END)
    {% if ranges %}
    UNION ALL
    SELECT
        f.shape, f.id, 2, s.leaves_hi,
        f.p_number IS NULL AND f.p_moment IS NULL OR l.p_number IS NULL AND l.p_moment IS NULL
            AS may_lack,
        FALSE AS whole, FALSE AS one_less,
        CASE WHEN l.p_number IS NOT NULL THEN f.p_number END,
        CASE WHEN f.p_number IS NOT NULL THEN l.p_number END,
        CASE WHEN l.p_moment IS NOT NULL THEN f.p_moment END,
        CASE WHEN f.p_moment IS NOT NULL THEN l.p_moment END,
        f.p_digits, l.p_digits
    FROM answers AS f
    JOIN answers AS l ON l.shape = f.shape AND l.id = f.id AND l.purpose = 'range' AND l.part = 1
    JOIN shapes AS s ON s.shape = f.shape
    WHERE f.purpose = 'range' AND f.part = 0
        AND (
            f.p_number IS NULL AND f.p_moment IS NULL OR l.p_number IS NULL AND l.p_moment IS NULL
            OR f.p_moment < l.p_moment
            OR (f.p_number <= l.p_number OR {{ same_number(['f', 'p_number'], ['l', 'p_number']) }})
            AND (
                f.p_number <> l.p_number OR f.p_exact <> l.p_exact
                OR f.word <> l.word AND (f.p_exact IS NULL OR l.p_exact IS NULL
                    OR GREATEST(LENGTH(f.word), LENGTH(l.word)) > 20)
            )
        )
    {% endif %}
    {% if names %}
    UNION ALL
    SELECT
        f.shape, f.id,
        {% if ordered %}
        CASE WHEN f.kind = 'tree' THEN e.place - b.place + 1 ELSE 2 END,
        CASE WHEN f.kind = 'tree' THEN e.place - b.place + 1 ELSE s.leaves_hi END,
        {% else %}
        2,
        s.leaves_hi,
        {% endif %}
        FALSE AS may_lack, FALSE AS whole, FALSE AS one_less,
        NULL, NULL, NULL, NULL, NULL, NULL
    FROM answers AS f
    JOIN answers AS l
        ON l.shape = f.shape AND l.id = f.id AND l.purpose = 'names' AND l.part = f.part + 1
    JOIN shapes AS s ON s.shape = f.shape
    {% if ordered %}
    LEFT JOIN labels_places AS b ON b.tree = s.tree AND b.word = f.word
    LEFT JOIN labels_places AS e ON e.tree = s.tree AND e.word = l.word
    {% endif %}
    WHERE f.purpose = 'names' AND f.part % 2 = 0
    {% if ordered %}
        AND (f.kind <> 'tree' OR e.place > b.place)
    {% endif %}
    {% endif %}
),
compared AS (
    SELECT
        m.*, v.lo, v.hi, v.label, v.listed, v.lo_number AS low, v.hi_number AS high,
        v.lo_moment AS low_moment, v.hi_moment AS high_moment,
        v.lo_digits AS low_digits, v.hi_digits AS high_digits, s.bounded,
        m.hi_number - 1 AS one_less_number,
        COALESCE(m.lo_number, m.lo_moment, m.hi_number, m.hi_moment) IS NOT NULL AS has_bounds,
        m.lo_number IS NOT NULL OR m.lo_moment IS NOT NULL AS has_lo,
        m.hi_number IS NOT NULL OR m.hi_moment IS NOT NULL AS has_hi,
        COALESCE(m.leaves_lo = 1 AND m.leaves_hi = 1, FALSE) AS single
    FROM meanings AS m
    JOIN labels_values AS v ON v.id = m.id
    JOIN shapes AS s ON s.shape = m.shape
),
ordered AS (
    SELECT
        c.*,
        COALESCE(c.low <= c.high OR {{ same_number(['c', 'low'], ['c', 'high']) }}
            OR c.low_moment <= c.high_moment, FALSE) AS rising
    FROM compared AS c
)
SELECT
    o.shape, o.id,
    CASE
        WHEN NOT o.bounded THEN TRUE
        WHEN o.lo IS NULL AND o.hi IS NULL
        THEN o.may_lack OR (o.label IS NULL AND o.listed IS NULL)
            OR (NOT o.has_bounds AND NOT o.single)
        WHEN o.has_lo <> o.has_hi  {# an interval without one of its ends #}
        THEN (o.lo IS NOT NULL) = o.has_lo AND (o.hi IS NOT NULL) = o.has_hi AND COALESCE(
            CASE WHEN o.has_lo
                THEN o.low_moment = o.lo_moment
                    OR {{ same_number(['o', 'low'], ['o', 'lo_number']) }}
                ELSE o.high_moment = o.hi_moment
                    OR {{ same_number(['o', 'high'], ['o', 'hi_number']) }}
                    OR o.one_less AND {{ same_number(['o', 'high'], ['o', 'one_less_number']) }}
                END, FALSE)
        WHEN o.lo IS NULL OR o.hi IS NULL OR (o.whole AND NOT o.has_bounds) THEN FALSE
        WHEN (o.low IS NULL AND o.low_moment IS NULL) OR (o.high IS NULL AND o.high_moment IS NULL)
        THEN NOT o.has_bounds OR o.lo <> o.hi
        WHEN NOT o.rising OR NOT o.has_bounds THEN o.rising AND NOT o.single
        ELSE COALESCE(
            o.low_moment = o.lo_moment AND o.high_moment = o.hi_moment
            OR ({{ same_number(['o', 'low'], ['o', 'lo_number']) }}
                OR o.low_digits = o.lo_digits)
            AND ({{ same_number(['o', 'high'], ['o', 'hi_number']) }}
                OR o.high_digits = o.hi_digits
                OR o.one_less AND ({{ same_number(['o', 'high'], ['o', 'one_less_number']) }}
                    OR TRY_CAST(o.high_digits AS BIGNUM)
                        = TRY_CAST(o.hi_digits AS BIGNUM) - CAST('1' AS BIGNUM))), FALSE)
    END AS fits
FROM ordered AS o
