{# Where the rows that drew values are not the released ones, each once for every draw: by what their
   labels stand for, and by all else that they hold.
   grain: one row
   in: table (released rows), drawn (a table, see completion/drawn), draws (their numbers), labeled,
       kept, buckets (completed columns), completed_labels, completed_tokens
   out: (by how many rows they differ) #}
{% macro held(c, side, name) %}
{% if c.column.comparable and c.column.kind not in ['text', 'other'] %}{{ [side, name] | ident }}
{%- else %}CAST({{ [side, name] | ident }} AS VARCHAR) COLLATE "C"{% endif %}
{% endmacro %}
SELECT CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.n) AS surplus
    FROM (
        SELECT
            d.draw,
            {{ labeled | each('COALESCE(x#.token, 0) AS t#,') }}
            {% for c in kept %}
            {{ held(c, 'r', c.name) }} AS {{ ('k' ~ c.index) | ident }},
            {% endfor %}
            {% for c in buckets %}
            {{ ['r', c.bucketed.key] | ident }} AS {{ ('g' ~ c.index) | ident }},
            {% endfor %}
            1 AS n
        FROM {{ table | ident }} AS r
        {% for c in labeled %}
        LEFT JOIN (
            SELECT t.token{{ c.parts | each(', v.key$') }}
            FROM completed_labels AS v
            JOIN completed_tokens AS t ON t.value = v.value AND t.position = v.position
            WHERE v.position = {{ c.index | integer }}
        ) AS {{ ('x' ~ c.index) | ident }}
            ON {% for part in c.parts %}
            {% if not loop.first %}AND {% endif %}
            COALESCE('=' || CAST({{ ['r', part] | ident }} AS VARCHAR), '')
                = {{ ['x' ~ c.index, 'key' ~ loop.index] | ident }}
            {% endfor %}
        {% endfor %}
        CROSS JOIN (
            {% for draw in draws %}
            SELECT CAST({{ draw | integer }} AS INTEGER) AS draw
            {%- if not loop.last %} UNION ALL{% endif +%}
            {% endfor %}
        ) AS d
        UNION ALL
        SELECT
            p.draw,
            {{ labeled | each('p.t#,') }}
            {% for c in kept %}
            {{ held(c, 'p', 'k' ~ c.index) }} AS {{ ('k' ~ c.index) | ident }},
            {% endfor %}
            {{ buckets | each('p.g#,') }}
            -1 AS n
        FROM {{ drawn | ident }} AS p
    ) AS b
    GROUP BY b.draw{{ labeled | each(', b.t#') }}{{ kept | each(', b.k#') }}
        {{- buckets | each(', b.g#') }}
    HAVING SUM(b.n) <> 0
) AS d
