{# What is released of a region: the ends of its ranges, and its sets.
   grain: one row per region
   in: spots, attributes, forms
   out: table boxes(part, lo<i>, hi<i>: first and last place, of a range ylo<i>, yhi<i>, top<i>: its code at the highest level
        where it holds what is no number, and is released as that; of a set words<i>: its places between commas) #}
CREATE TABLE boxes AS
SELECT
    b.part
{% for a in attributes %}
{% set i = a.index %}
    , b.lo{{ i | integer }}
    , b.hi{{ i | integer }}
    {% if forms[i] == 'range' %}
    , b.ylo{{ i | integer }}
    , b.yhi{{ i | integer }}
    , CASE WHEN b.numbers{{ i | integer }} < b.cells AND b.lo{{ i | integer }} < b.hi{{ i | integer }} THEN b.top{{ i | integer }} END AS top{{ i | integer }}
    {% else %}
    , e{{ i | integer }}.words AS words{{ i | integer }}
    {% endif %}
{% endfor %}
FROM (
    SELECT
        s.part,
        COUNT(*) AS cells
    {% for a in attributes %}
    {% set i = a.index %}
        , MIN(s.p{{ i | integer }}) AS lo{{ i | integer }}
        , MAX(s.p{{ i | integer }}) AS hi{{ i | integer }}
        {% if forms[i] == 'range' %}
        , MIN(s.y{{ i | integer }}) AS ylo{{ i | integer }}
        , MAX(s.y{{ i | integer }}) AS yhi{{ i | integer }}
        , COUNT(s.y{{ i | integer }}) AS numbers{{ i | integer }}
        , MAX(s.t{{ i | integer }}) AS top{{ i | integer }}
        {% endif %}
    {% endfor %}
    FROM spots AS s
    GROUP BY s.part
) AS b
{% for a in attributes if forms[a.index] == 'set' %}
{% set i = a.index %}
JOIN (
    SELECT u.part, ',' || STRING_AGG(CAST(u.place AS VARCHAR), ',' ORDER BY u.place NULLS FIRST) || ',' AS words
    FROM (SELECT DISTINCT s.part, s.p{{ i | integer }} AS place FROM spots AS s) AS u
    GROUP BY u.part
) AS e{{ i | integer }} ON e{{ i | integer }}.part = b.part
{% endfor %}
