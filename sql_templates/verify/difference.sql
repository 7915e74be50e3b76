{# Where the release is not the source generalized, less the classes that do not keep the promise, as multisets of whole
   rows. Works on labels and values alone and shares nothing with the search's codes.
   grain: one row
   in: source, population (relation or none), attributes, coded, released (see release/rows), dim_<index>, levels, table, labels (the released
       columns that are labels), keys (t<position> of them), promise, masked
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH generalized AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'kept' %}
        {% if r.column.type != r.type %}CAST(o.{{ r.column.name | ident }} AS {{ r.type | sql_type }}){% elif not r.column.comparable %}CAST(o.{{ r.column.name | ident }} AS VARCHAR){% else %}o.{{ r.column.name | ident }}{% endif %} AS r{{ r.position | integer }}{% if coded or not loop.last %},{% endif +%}
        {% elif r.kind == 'label' %}
        {% with a = r.attribute, side = 'o', level = levels[r.attribute.index] %}{% include 'verify/label.sql' %}{% endwith %} AS r{{ r.position | integer }}{% if coded or not loop.last %},{% endif +%}
        {% else %}
        h{{ r.attribute.index | integer }}.{{ (r.kind ~ levels[r.attribute.index]) | ident }} AS r{{ r.position | integer }}{% if coded or not loop.last %},{% endif +%}
        {% endif %}
    {% endfor %}
    {% for a in coded %}
        {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM {{ source | ident }} AS o
    {% for a in attributes %}
    LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }}
        ON {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} = h{{ a.index | integer }}.value
    {% endfor %}
),
counted AS (
    SELECT g.*, CAST(COUNT(*) AS BIGINT) AS n
    FROM generalized AS g
    GROUP BY {% for r in released %}g.r{{ r.position | integer }}{% if coded or not loop.last %}, {% endif %}{% endfor %}{% for a in coded %}g.q{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
),
{% for a in coded %}
values_{{ a.index | integer }} AS (
    {% with counted = 'counted' %}{% include 'models/values.sql' %}{% endwith +%}
),
{% if a.attribute is not none %}
groups_{{ a.index | integer }} AS (
    {% include 'models/groups.sql' %}
),
{% endif %}
{% endfor %}
judged AS (
    SELECT
    {% for r in labels %}
        COALESCE('=' || c.r{{ r.position | integer }}, '') AS t{{ r.position | integer }},
    {% endfor %}
    {% for a in coded %}
        COALESCE(w{{ a.index | integer }}.code, 0) AS x{{ a.index | integer }},
    {% endfor %}
        CAST(SUM(c.n) AS BIGINT) AS n{% if population %},
        CAST(0 AS BIGINT) AS p{% endif +%}
    FROM counted AS c
    {% for a in coded %}
    LEFT JOIN values_{{ a.index | integer }} AS w{{ a.index | integer }} ON w{{ a.index | integer }}.value = c.q{{ a.index | integer }}
    {% endfor %}
    GROUP BY
    {% for r in labels %}
        COALESCE('=' || c.r{{ r.position | integer }}, ''){% if coded or not loop.last %},{% endif +%}
    {% endfor %}
    {% for a in coded %}
        COALESCE(w{{ a.index | integer }}.code, 0){% if not loop.last %},{% endif +%}
    {% endfor %}
    {% if population %}
    UNION ALL
    SELECT
    {% for r in labels %}
        COALESCE('=' || {% with a = r.attribute, side = 'q', level = levels[r.attribute.index] %}{% include 'verify/label.sql' %}{% endwith %}, ''),
    {% endfor %}
    {% for a in coded %}
        NULL,
    {% endfor %}
        0,
        1
    FROM {{ population | ident }} AS q
    {% for a in attributes %}
    LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }}
        ON {% with side = 'q' %}{% include 'star/value.sql' %}{% endwith %} = h{{ a.index | integer }}.value
    {% endfor %}
    {% endif %}
),
verdicts AS (
    {% with table = 'judged' %}{% include 'models/classes.sql' %}{% endwith +%}
),
expected AS (
    SELECT
    {% for r in released %}
        {% if masked and r.kind == 'label' %}
        CASE WHEN k.ok THEN c.r{{ r.position | integer }} ELSE '*' END AS r{{ r.position | integer }},
        {% elif masked and r.kind != 'kept' %}
        CASE WHEN k.ok THEN c.r{{ r.position | integer }} END AS r{{ r.position | integer }},
        {% else %}
        c.r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        c.n
    FROM counted AS c
    JOIN verdicts AS k
        ON {% for r in labels %}k.t{{ r.position | integer }} = COALESCE('=' || c.r{{ r.position | integer }}, ''){% if not loop.last %} AND {% endif %}{% endfor +%}
    {% if not masked %}
    WHERE k.ok
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
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY {% for r in released %}b.r{{ r.position | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
    HAVING SUM(b.n) <> 0
) AS d
