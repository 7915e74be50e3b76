{# The released rows with the tokens of their labels. Rows whose labels mean the same are numbered
   in the order of their other values, so that whoever has the release numbers them the same.
   grain: one row per released row
   in: table (released rows), labeled, kept, buckets (completed columns), radix [(each of labeled,
       the number of combinations of tokens of those before it)], or none where all have too many
       for one number, placing (see completion/drawn), divided (those of kept whose values are
       divided into stretches), stretches (how many, of each), completed_labels,
       completed_tokens(position, value, token)
   out: (t<index>: the token, k<index>: a value that is kept, g<index>: the bucket or group, where
       the value lies there; b<index>: of those divided, the stretch that the value lies in, of
       texts the place of the value by frequency; occurrence: from 1 in its class, size: the rows of
       that) #}
{% macro classes() %}
    {% if radix %}
    {% for c, times in radix %}
    {{ c | sql('o.t#') }} * {{ times | integer }}{% if loop.last %},{% else %} +{% endif +%}
    {% endfor %}
    {% else %}
    {{ labeled | each('o.t#,') }}
    {% endif %}
    {{ buckets | each('o.g#,') }}
    o.one
{% endmacro %}
SELECT
    {{ labeled | each('o.t#,') }}
    {{ kept | each('o.k#,') }}
    {{ buckets | each('o.g#,') }}
    {% for c in divided %}
    {% if c.kind in ['text', 'boolean'] %}
    LEAST(DENSE_RANK() OVER (
        ORDER BY {{ c | sql('o.f# DESC NULLS LAST, CAST(o.k# AS VARCHAR) COLLATE "C" NULLS FIRST') }}
    ), {{ (2 * stretches) | integer }}) - 1 AS {{ ('b' ~ c.index) | ident }},
    {% else %}
    CAST(FLOOR(
        ({{ c | sql('o.f#') }} - 1)
        * CAST({{ stretches | integer }} AS DOUBLE) / COUNT(*) OVER ()
    ) AS BIGINT) AS {{ ('b' ~ c.index) | ident }},
    {% endif %}
    {% endfor %}
    {% if placing %}
    COUNT(*) OVER (PARTITION BY {{ classes() }}) AS size,
    {% endif %}
    ROW_NUMBER() OVER (
        PARTITION BY {{ classes() }}
        ORDER BY
            {% for c in kept %}
            {% if c.column.comparable and c.column.kind == 'text' %}
            CAST(o.k{{ c.index | integer }} AS VARCHAR) COLLATE "C" NULLS FIRST,
            {% elif c.column.comparable %}
            o.k{{ c.index | integer }} NULLS FIRST,
            {% else %}
            CAST(o.k{{ c.index | integer }} AS VARCHAR) COLLATE "C" NULLS FIRST,
            {% endif %}
            {% endfor %}
            o.one NULLS FIRST
    ) AS occurrence
FROM (
    SELECT
        {{ kept | each('r.@ AS k#,') }}
        {% for c in divided %}{# not beside longer orders: MariaDB would rank by those #}
        {% if c.kind in ['text', 'boolean'] %}
        COUNT(*) OVER (PARTITION BY {{ c | sql('r.@') }}) AS {{ ('f' ~ c.index) | ident }},
        {% else %}
        RANK() OVER (ORDER BY {{ c | sql('r.@') }} NULLS FIRST) AS {{ ('f' ~ c.index) | ident }},
        {% endif %}
        {% endfor %}
        {{ labeled | each('COALESCE(x#.token, 0) AS t#,') }}
        {% for c in buckets %}
        r.{{ c.bucketed.key | ident }} AS g{{ c.index | integer }},
        {% endfor %}
        1 AS one
    FROM {{ table | ident }} AS r
    {% for c in labeled %}
    LEFT JOIN (
        SELECT t.token{{ c.parts | each(', v.key$') }}
        FROM completed_labels AS v
        JOIN completed_tokens AS t ON t.value = v.value
        WHERE v.position = {{ c.index | integer }} AND t.position = {{ c.index | integer }}
    ) AS x{{ c.index | integer }}
        ON {% for part in c.parts %}
        {% if not loop.first %}AND {% endif %}
        COALESCE('=' || CAST(r.{{ part | ident }} AS VARCHAR), '')
            = {{ ['x' ~ c.index, 'key' ~ loop.index] | ident }}
        {% endfor %}
    {% endfor %}
) AS o
