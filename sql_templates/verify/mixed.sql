{# Cells that are released otherwise than they should be: of a row that does not mind, withheld in a group where they are not hidden; in
   a bucket although they are generalized or hidden; in no bucket although they are neither.
   grain: one row
   in: source, local_rows, patterns, dim_<index>, assigned, groups, attributes, semi, conditions, bucketized, withheld {index of a bucketized
       column: of its attribute, or 0}
   out: (combinations of cells of the first kind, rows of the others) #}
SELECT
    (
        SELECT COUNT(*)
        FROM (
            SELECT DISTINCT
            {% for a in attributes %}
                {% if a in semi %}CASE WHEN p.f{{ a.index | integer }} = 1 THEN -1 ELSE COALESCE(h{{ a.index | integer }}.g{{ a.min_level | integer }}, 0) END{% else %}COALESCE(h{{ a.index | integer }}.g{{ a.min_level | integer }}, 0){% endif %} AS c{{ a.index | integer }},
            {% endfor %}
            {% for a in semi %}
                CASE WHEN p.f{{ a.index | integer }} = 1 AND NOT w.m{{ a.index | integer }} THEN 1 ELSE 0 END AS m{{ a.index | integer }}{% if not loop.last %},{% endif +%}
            {% endfor %}
            FROM (
                SELECT
                {% for a in attributes %}
                    {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }},
                {% endfor %}
                {% for a in semi %}
                    COALESCE({{ conditions[a.index] | condition('o') }}, TRUE) AS m{{ a.index | integer }},
                {% endfor %}
                    CAST(0 {% for a in semi %}+ CASE WHEN COALESCE({{ conditions[a.index] | condition('o') }}, TRUE) THEN CAST({{ (2 ** loop.index0) | integer }} AS BIGINT) ELSE 0 END {% endfor %}AS BIGINT) AS pattern
                FROM {{ source | ident }} AS o
            ) AS w
            JOIN patterns AS p ON p.pattern = w.pattern
            {% for a in attributes %}
            LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }} ON h{{ a.index | integer }}.value = w.q{{ a.index | integer }}
            {% endfor %}
        ) AS u
        JOIN assigned AS y ON {% for a in attributes %}y.c{{ a.index | integer }} = u.c{{ a.index | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
        JOIN groups AS x ON x.grp = y.grp
        WHERE {% for a in semi %}(u.m{{ a.index | integer }} = 1 AND COALESCE(x.v{{ a.index | integer }}, '') <> '*'){% if not loop.last %} OR {% endif %}{% endfor +%}
    ) AS exposed,
    (
        SELECT COUNT(*)
        FROM local_rows AS r
        JOIN groups AS x ON x.grp = r.grp
        WHERE FALSE
        {% for b in bucketized if withheld[b.index] %}
        {% set i = withheld[b.index] %}
            OR r.w{{ b.index | integer }} <> CASE WHEN r.c{{ i | integer }} = -1 AND x.v{{ i | integer }} IS NULL THEN 1 ELSE 0 END
        {% endfor %}
    ) AS misplaced
