{# Where the rows that were dealt are not the source's with their codes and sensitive values, as
   multisets. What is sensitive to whom is worked out anew, from conditions alone; a cell that is
   withheld of a row that does not mind is compared by its value, as which rows a pattern lends is
   nowhere but there.
   grain: one row
   in: source, local_rows (with pattern), patterns, dim_<index>, attributes, semi, conditions, kept,
       bucketized, withheld {index of a bucketized column: of its attribute, or 0}
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import minded %}
{# in: column (kept), value (a reference) out: the value as rows are compared by it #}
{% macro kept_value(column, value) %}
{% if not column.exact %}CAST({{ value | ident }} AS VARCHAR)
{%- else %}{{ value | ident }}{% if column.type == 'VARCHAR' %} COLLATE "C"{% endif %}{% endif %}
{% endmacro %}
WITH own AS (
    SELECT
        {{ attributes | each('@(o) AS q#,') }}
    {% for column in kept %}
        {{ kept_value(column, ['o', column.name]) }} AS k{{ loop.index | integer }},
    {% endfor %}
        {{ bucketized | each('@(o) AS s#,') }}
        CAST(
            0
            {% for a in semi %}
            + CASE
                WHEN COALESCE({{ conditions[a.index] | condition('o') }}, TRUE)
                THEN CAST({{ (2 ** loop.index0) | integer }} AS BIGINT)
                ELSE 0
            END
            {% endfor %}
            AS BIGINT
        ) AS pattern
    FROM {{ source | ident }} AS o
),
both_sides AS (
    SELECT
        w.pattern,
    {% for a in attributes %}
        {% if a in semi %}
        CASE
            WHEN {{ minded(semi, a.index, ['w', 'pattern']) }} THEN -1
            ELSE COALESCE(h#.g{{ a.min_level | integer }}, 0)
        END AS c#,
        {% else %}
        COALESCE(h#.g{{ a.min_level | integer }}, 0) AS c#,
        {% endif %}
    {% endfor %}
        {{ kept | each('w.k$,') }}
    {% for b in bucketized %}
        {% if withheld[b.index] %}
        CASE WHEN {{ minded(semi, withheld[b.index], ['w', 'pattern']) }}
            {{ b | sql('THEN w.s# END AS s#,') }}
        {% else %}
        {{ b | sql('w.s#,') }}
        {% endif %}
    {% endfor %}
        1 AS n
    FROM own AS w
    JOIN (SELECT DISTINCT p.pattern FROM patterns AS p) AS p ON p.pattern = w.pattern
    {{ attributes | each('LEFT JOIN dim_# AS h# ON h#.value = w.q#') }}
    UNION ALL
    SELECT
        r.pattern,
    {% for a in attributes %}
        {% if a in semi %}
        CASE
            WHEN {{ minded(semi, a.index, ['r', 'pattern']) }} THEN -1
            WHEN r.c# = -1 THEN COALESCE(h#.g{{ a.min_level | integer }}, 0)
            ELSE r.c#
        END,
        {% else %}
        r.c#,
        {% endif %}
    {% endfor %}
    {% for column in kept %}
        {{ kept_value(column, ['r', 'k' ~ loop.index]) }},
    {% endfor %}
    {% for b in bucketized %}
        {% if withheld[b.index] %}
        CASE WHEN {{ minded(semi, withheld[b.index], ['r', 'pattern']) }}
            {{ b | sql('THEN r.s# END,') }}
        {% else %}
        {{ b | sql('r.s#,') }}
        {% endif %}
    {% endfor %}
        -1
    FROM local_rows AS r
    {% for b in bucketized if withheld[b.index] %}
    {{ withheld[b.index] | sql('LEFT JOIN dim_# AS h# ON h#') }}.value = {{ b | sql('r.s#') }}
    {% endfor %}
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM both_sides AS b
    GROUP BY
        b.pattern
        {{ attributes | each(', b.c#') }}
        {{ kept | each(', b.k$') }}
        {{ bucketized | each(', b.s#') }}
    HAVING SUM(b.n) <> 0
) AS d
