{# How the two sides of each cut lie in the order of a table: what is above the cut is a one.
   grain: one row
   in: table, values (index, name, text: see macros), order_cuts (see cuts), stored (the template of
       a row's place), or number (the name of the column that numbers the rows), half (so many rows
       come first)
   out: for each column twice, for the middle and for the mode: (ones, ones among the first rows,
        rows that differ from the one before) #}
{% from 'verification/order/macros.sql' import ordered %}
WITH sides AS (
    SELECT
        r.position
    {% for v in values %}
        , CASE WHEN r.x{{ v.index | integer }} IS NULL
            OR r.x{{ v.index | integer }} <= c.middle{{ v.index | integer }}
        THEN 0 ELSE 1 END AS a{{ v.index | integer }}
        , CASE WHEN r.x{{ v.index | integer }} = c.mode{{ v.index | integer }}
            OR (r.x{{ v.index | integer }} IS NULL AND c.mode{{ v.index | integer }} IS NULL)
        THEN 0 ELSE 1 END AS b{{ v.index | integer }}
    {% endfor %}
    FROM (
        SELECT
        {% if number %}
            ROW_NUMBER() OVER (ORDER BY r.{{ number | ident }} NULLS FIRST) AS position
        {% else %}
            {% include stored ~ '.sql' %}
            AS position
        {% endif %}
        {% for v in values %}
            , {{ ordered(v) }} AS x{{ v.index | integer }}
        {% endfor %}
        FROM {{ table | ident }} AS r
    ) AS r
    CROSS JOIN order_cuts AS c
),
steps AS (
    SELECT
        s.position
    {% for v in values %}
        {{ v | sql(', s.a#, LAG(s.a#) OVER (ORDER BY s.position NULLS FIRST) AS d#') }}
        {{ v | sql(', s.b#, LAG(s.b#) OVER (ORDER BY s.position NULLS FIRST) AS e#') }}
    {% endfor %}
    FROM sides AS s
)
SELECT
{% for v in values %}
    {% for one, before in [('a', 'd'), ('b', 'e')] %}
    CAST(COALESCE(SUM(t.{{ (one ~ v.index) | ident }}), 0) AS BIGINT),
    CAST(COALESCE(SUM(
        CASE WHEN t.position <= {{ half | integer }} THEN t.{{ (one ~ v.index) | ident }} END
    ), 0) AS BIGINT),
    CAST(COALESCE(SUM(
        CASE WHEN t.{{ (one ~ v.index) | ident }} <> t.{{ (before ~ v.index) | ident }} THEN 1 END
    ), 0) AS BIGINT)
    {%- if not loop.last %},{% endif +%}
    {% endfor %}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM steps AS t
