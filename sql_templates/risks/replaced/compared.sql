{# How a release and the one that it replaces, side by side, tell rows apart: their classes are
   counted, rolled up to the higher of both levels of every column, and held against each other.
   grain: one row
   in: sides (new: whether it is the new release, table, labels: place, name, text: whether it is
       text and no array, raised: whether its level is the lower one, to the higher one of the
       other; top: the label of the highest level where that is the higher one; null: NULL's label
       at the higher one), dim_<index> of the raised, common (whether only labels that both have are
       held against each other), k
   out: rows that came to or left classes by fewer than k, those classes, classes of the new release
       that cut classes of the other, classes of the new release, rows whose labels are unknown #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN h.few THEN h.apart END), 0) AS BIGINT) AS apart_rows,
    COUNT(CASE WHEN h.few THEN 1 END) AS apart_classes,
    CAST(COALESCE(SUM(CASE
        WHEN h.new_classes > 1 AND h.old_classes > 1 THEN h.new_classes END), 0) AS BIGINT) AS cut,
    CAST(COALESCE(SUM(h.new_classes), 0) AS BIGINT) AS classes,
    CAST(COALESCE(SUM(h.unknown), 0) AS BIGINT) AS unknown
FROM (
    SELECT
        w.apart, w.new_classes, w.old_classes, w.unknown,
        w.apart BETWEEN 1 AND {{ k | integer }} - 1
        {% if common %}
            AND w.new_classes > 0 AND w.old_classes > 0
        {% endif %}
            AS few
    FROM (
        SELECT
            ABS(SUM(CASE WHEN c.new_one = 1 THEN c.n ELSE -c.n END)) AS apart,
            SUM(c.new_one) AS new_classes,
            SUM(1 - c.new_one) AS old_classes,
            SUM(c.unknown) AS unknown
        FROM (
        {% for side in sides %}
            SELECT
            {% for label in side.labels %}
                {% if label.top is not none %}
                CAST({{ label.top | literal }} AS VARCHAR)
                {%- elif label.raised %}
                CASE
                    WHEN g.l{{ loop.index | integer }} IS NULL
                    THEN CAST({{ label.null | literal }} AS VARCHAR)
                    ELSE COALESCE(
                        u{{ loop.index | integer }}.higher, g.l{{ loop.index | integer }})
                END
                {%- else %}
                g.l{{ loop.index | integer }}
                {%- endif %}
                {% if label.text %} COLLATE "C"{% endif %} AS l{{ loop.index | integer }},
            {% endfor %}
                CASE
                {% for label in side.labels if label.raised and label.top is none %}
                    {% set own = 'l' ~ label.place %}
                    WHEN u{{ label.place | integer }}.higher IS NULL
                        AND g.{{ own | ident }} COLLATE "C" <> '*' THEN g.n
                {% endfor %}
                    WHEN FALSE THEN g.n
                    ELSE 0
                END AS unknown,
                {{ (1 if side.new else 0) | integer }} AS new_one,
                g.n
            FROM (
                SELECT
                {% for label in side.labels %}
                    r.{{ label.name | ident }}
                        {% if label.text %}COLLATE "C"{% endif %} AS l{{ loop.index | integer }},
                {% endfor %}
                    COUNT(*) AS n
                FROM {{ side.table | ident }} AS r
                GROUP BY
                {% for label in side.labels %}
                    r.{{ label.name | ident }}
                        {% if label.text %}COLLATE "C"{% endif %}{% if not loop.last %},{% endif +%}
                {% endfor %}
            ) AS g
            {% for label in side.labels if label.raised and label.top is none %}
            LEFT JOIN (
                SELECT
                    d.v{{ label.lower | integer }} COLLATE "C" AS lower,
                    MIN(d.v{{ label.higher | integer }}) AS higher
                FROM dim_{{ label.index | integer }} AS d
                GROUP BY d.v{{ label.lower | integer }} COLLATE "C"
            ) AS u{{ label.place | integer }}
                ON u{{ label.place | integer }}.lower = g.l{{ label.place | integer }} COLLATE "C"
            {% endfor %}
            {% if not loop.last %}UNION ALL{% endif +%}
        {% endfor %}
        ) AS c
        GROUP BY
        {% for label in sides[0].labels %}
            c.l{{ loop.index | integer }}{% if not loop.last %},{% endif +%}
        {% endfor %}
    ) AS w
) AS h
