{# Where the release is not the source with each row's values replaced by those of its cell's group,
   as multisets of whole rows.
   grain: one row
   in: what verification/coded takes, or placed when split, assigned, groups, table, masked,
       averaged (released means and medians), alike (the columns that define a class)
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared, expected %}
WITH {% if averaged %}classed{% else %}expected{% endif %} AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'kept' %}
        {% if masked and r.hidden %}CASE WHEN x.grp IS NOT NULL THEN{% endif +%}
            {{ expected(r, ['o', 'r' ~ r.position]) }}
        {% if masked and r.hidden %}END{% endif %} AS r{{ r.position | integer }},
        {% elif r.kind == 'label' and masked %}
        CASE WHEN x.grp IS NULL THEN '*' ELSE x.v{{ r.attribute.index | integer }} END
            AS r{{ r.position | integer }},
        {% elif r.kind == 'label' %}
        x.v{{ r.attribute.index | integer }} AS r{{ r.position | integer }},
        {% elif r.averaged %}
        o.r{{ r.position | integer }},
        {% else %}
        {{ compared(r, ['x', r.kind ~ r.attribute.index]) }} AS r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        {% if averaged %}
        CASE WHEN x.grp IS NULL THEN 1 ELSE 0 END AS masked,
        {% endif %}
        1 AS n
    FROM {% if split %}placed{% else %}(
        {% with judged = () %}{% include 'verification/coded.sql' %}{% endwith +%}
    ){% endif %} AS o
    LEFT JOIN assigned AS p
        ON {{ attributes | each('p.c# = o.c#', ' AND ') }}
    {{ valued | each('AND p.x# = o.x#') }}
    {% if split %}
        AND p.first <= o.place AND p.last >= o.place
    {% endif %}
    LEFT JOIN groups AS x ON x.grp = p.grp
    {% if not masked %}
    WHERE x.grp IS NOT NULL
    {% endif %}
),
{% if averaged %}
ranked AS (
    SELECT
        c.*,
        DENSE_RANK() OVER (
            ORDER BY c.masked NULLS FIRST, {{ alike | listed('c.r# NULLS FIRST') }}
        ) AS class
    FROM classed AS c
),
averages AS (
    SELECT
        s.class
        {% for r in averaged %}
        , CAST(SUM(CAST(s.v{{ r.position | integer }}
            AS DECIMAL(38, {{ r.column.scale | integer }}))) AS DOUBLE)
            / CAST(NULLIF(COUNT(s.v{{ r.position | integer }}), 0) AS DOUBLE)
            AS r{{ r.position | integer }}
        {% endfor %}
    FROM (
        SELECT
            d.class
            {% for r in averaged %}
            {% if r.kind == 'mean' %}
            , {{ r | sql('d.r#') }} AS v{{ r.position | integer }}
            {% else %}
            , CASE WHEN ABS(
                ROW_NUMBER() OVER (PARTITION BY d.class ORDER BY {{ r | sql('d.r#') }} DESC NULLS LAST)
                * 2 - 1 - COUNT({{ r | sql('d.r#') }}) OVER (PARTITION BY d.class)
            ) <= 1 THEN {{ r | sql('d.r#') }} END AS v{{ r.position | integer }}
            {% endif %}
            {% endfor %}
        FROM ranked AS d
        WHERE d.masked = 0
    ) AS s
    GROUP BY s.class
),
expected AS (
    SELECT
    {% for r in released %}
        {% if r.averaged %}
        {{ compared(r, ['a', 'r' ~ r.position]) }} AS r{{ r.position | integer }},
        {% else %}
        {{ r | sql('g.r#,') }}
        {% endif %}
    {% endfor %}
        g.n
    FROM ranked AS g
    LEFT JOIN averages AS a ON a.class = g.class
),
{% endif %}
{% include 'verification/surplus.sql' %}
