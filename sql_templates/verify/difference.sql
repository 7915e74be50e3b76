{# Where the release is not the source generalized, as multisets of whole rows. Works on labels and values alone and
   shares nothing with the search's codes.
   grain: one row
   in: source, released (see release/rows), dim_<index>, levels, table, k, suppressing, masked
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH generalized AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'kept' %}
        {% if r.column.type != r.type %}CAST(o.{{ r.column.name | ident }} AS {{ r.type | sql_type }}){% elif not r.column.comparable %}CAST(o.{{ r.column.name | ident }} AS VARCHAR){% else %}o.{{ r.column.name | ident }}{% endif %} AS r{{ loop.index | integer }}{% if not loop.last %},{% endif +%}
        {% elif r.kind == 'label' %}
        CASE
            WHEN o.{{ r.attribute.name | ident }} IS NOT NULL THEN COALESCE(h{{ r.attribute.index | integer }}.v{{ levels[r.attribute.index] | integer }}, 'a value without a label')
            {% if r.attribute.null_labels is not none %}ELSE {{ r.attribute.null_labels[levels[r.attribute.index]] | literal }}{% endif +%}
        END AS r{{ loop.index | integer }}{% if not loop.last %},{% endif +%}
        {% else %}
        h{{ r.attribute.index | integer }}.{{ (r.kind ~ levels[r.attribute.index]) | ident }} AS r{{ loop.index | integer }}{% if not loop.last %},{% endif +%}
        {% endif %}
    {% endfor %}
    FROM {{ source | ident }} AS o
    {% for a in attributes %}
    LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }}
        ON {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} = h{{ a.index | integer }}.value
    {% endfor %}
),
counted AS (
    SELECT g.*, COUNT(*) AS copies
    FROM generalized AS g
    GROUP BY {% for r in released %}g.r{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
),
expected AS (
{% if suppressing %}
    SELECT
    {% for r in released %}
        {% if masked and r.kind == 'label' %}
        CASE WHEN c.size < {{ k | integer }} THEN '*' ELSE c.r{{ loop.index | integer }} END AS r{{ loop.index | integer }},
        {% elif masked and r.kind != 'kept' %}
        CASE WHEN c.size < {{ k | integer }} THEN NULL ELSE c.r{{ loop.index | integer }} END AS r{{ loop.index | integer }},
        {% else %}
        c.r{{ loop.index | integer }},
        {% endif %}
    {% endfor %}
        c.copies
    FROM (
        SELECT
            t.*,
            SUM(t.copies) OVER (PARTITION BY {% for r in released if r.kind == 'label' %}t.r{{ r.position | integer }}{% if not loop.last %}, {% endif %}{% endfor %}) AS size
        FROM counted AS t
    ) AS c
    {% if not masked %}
    WHERE c.size >= {{ k | integer }}
    {% endif %}
{% else %}
    SELECT c.* FROM counted AS c
{% endif %}
),
both_sides AS (
    SELECT e.* FROM expected AS e
    UNION ALL
    SELECT
    {% for r in released %}
        {% if r.column.comparable or r.kind != 'kept' %}p.{{ r.name | ident }}{% else %}CAST(p.{{ r.name | ident }} AS VARCHAR){% endif %},
    {% endfor %}
        -1
    FROM {{ table | ident }} AS p
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.copies) AS surplus
    FROM both_sides AS b
    GROUP BY {% for r in released %}b.r{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
    HAVING SUM(b.copies) <> 0
) AS d
