{# What is left when the released rows are taken from the expected ones: the end of a statement that
   begins with those. No surrogate says what value it stands for. Both are told by their rows, all
   other columns of these: values and surrogates correspond one to one if and only if as many
   surrogates as values have the same rows. Where there are several columns of surrogates, this is
   asked of each by itself and of all together.
   in: expected (r<position> …, n: how many of the row), released, table
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared, rows_of %}
both_sides AS (
    SELECT e.* FROM expected AS e
    UNION ALL
    SELECT
    {% for r in released %}
        {{ compared(r, ['p', r.name]) }},
    {% endfor %}
        -1
    FROM {{ table | ident }} AS p
)
{% for s in released if s.replaced == 'surrogate' %}
{% if loop.first %}
, kinds AS (
    SELECT
        b.*,
        CASE WHEN b.n > 0 THEN 1 ELSE 0 END AS side,
        ABS(b.n) AS times,
        MD5(CAST(DENSE_RANK() OVER (
            ORDER BY
            {% for r in released if r.replaced != 'surrogate' %}
                b.r{{ r.position | integer }} NULLS FIRST{% if not loop.last %},{% endif +%}
            {% endfor %}
        ) AS VARCHAR)) AS digest
    FROM both_sides AS b
),
weighed AS (
    SELECT
        k.*
        {% for part in range(2) %}
        , CAST(TRANSLATE(SUBSTR(k.digest, {{ (part * 9 + 1) | integer }}, 9), 'abcdef', '135792')
            AS BIGINT) AS weight{{ part | integer }}
        {% endfor %}
    FROM kinds AS k
),
told AS (
    SELECT
    {% for r in released %}
        {% if r.replaced == 'surrogate' %}
        CASE WHEN {{ r | sql('w.r#') }} IS NOT NULL THEN {{ rows_of([r]) }} END
            AS r{{ r.position | integer }},
        {% else %}
        {{ r | sql('w.r#,') }}
        {% endif %}
    {% endfor %}
        {{ rows_of(released) }} AS together,
        w.n
    FROM weighed AS w
)
{% endif %}
{% endfor %}
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    {% for s in released if s.replaced == 'surrogate' %}
    {% if loop.first %}
    FROM told AS b
    GROUP BY b.together, {{ released | listed('b.r#') }}
    {% endif %}
    {% else %}
    FROM both_sides AS b
    GROUP BY {{ released | listed('b.r#') }}
    {% endfor %}
    HAVING SUM(b.n) <> 0
) AS d
