{# The source with the values that are drawn anew, once and for all: a row's draws are a hash that only
   a secret salt knows. The first ten hexadecimal digits say whether its value stays, the next which
   value it gets otherwise: each that of its range of draws. A value that is no category never stays.
   grain: one row per source row
   in: source, names (of its columns), drawn (columns that are drawn: index, name, new, limit, null: whether NULL is a category),
       own (all columns by name), categories_<index>(place, value), draws_<index>(place, low, high), numbered (the engine's
       template of a hexadecimal number), fence (that of its fence, or none), fresh_salt
   out: the columns, and for each that is drawn its column new #}
SELECT
    {{ names | idents('u') }}
    {% for d in drawn %}
    , CASE
        WHEN ({{ d | sql('k#.place IS NOT NULL') }}
            {%- if d.null %} OR u.{{ d.name | ident }} IS NULL{% endif %})
            AND {{ d | sql('u."stays #"') }} < {{ d.limit | integer }} THEN {{ own[d.name] | value('u') }}
        ELSE {{ d | sql('v#.value') }}
    END AS {{ d.new | ident }}
    {% endfor %}
FROM (
    SELECT
        h.*
        {% for d in drawn %}
        {% with digits = ['h', 'hash ' ~ d.index] %}
        {% with start = 1 %}
        , {% include numbered ~ '.sql' %}{% endwith %} AS {{ ('stays ' ~ d.index) | ident }}
        {% with start = 11 %}
        , {% include numbered ~ '.sql' %}{% endwith %} AS {{ ('falls ' ~ d.index) | ident }}
        {% endwith %}
        {% endfor %}
    FROM (
        SELECT
            {{ names | idents('n') }}
            {% for d in drawn %}
            , MD5((SELECT z.salt FROM fresh_salt AS z)
                || {{ ('draw ' ~ d.index ~ ' ') | literal }}
                || CAST(n."place of row" AS VARCHAR)) AS {{ ('hash ' ~ d.index) | ident }}
            {% endfor %}
        FROM (
            SELECT {{ names | idents('s') }}, ROW_NUMBER() OVER () AS "place of row"
            FROM {{ source | ident }} AS s
        ) AS n
        {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
    ) AS h
    {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
) AS u
{% for d in drawn %}
LEFT JOIN {{ ('categories_' ~ d.index) | ident }} AS {{ ('k' ~ d.index) | ident }}
    ON {{ d | sql('k#.value') }} = {{ own[d.name] | value('u') }}
LEFT JOIN (
    SELECT c.value, w.low, w.high
    FROM {{ ('categories_' ~ d.index) | ident }} AS c
    JOIN {{ ('draws_' ~ d.index) | ident }} AS w ON w.place = c.place
) AS {{ ('v' ~ d.index) | ident }}
    ON {{ d | sql('u."falls #" >= v#.low AND u."falls #" < v#.high') }}
{% endfor %}
