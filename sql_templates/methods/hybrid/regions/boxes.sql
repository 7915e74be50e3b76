{# What is released of a region: the ends of its ranges, and its sets.
   grain: one row per region
   in: spots, attributes, forms
   out: table boxes(part, lo<i>, hi<i>: first and last place, of a range ylo<i>, yhi<i>, top<i>: its
       code at the highest level where it holds what is no number, and is released as that; of a set
       words<i>: its places between commas) #}
CREATE TABLE boxes AS
SELECT
    b.part
{% for a in attributes %}
    , b.lo#
    , b.hi#
    {% if forms[a.index] == 'range' %}
    , b.ylo#
    , b.yhi#
    , CASE WHEN b.numbers# < b.cells AND b.lo# < b.hi# THEN b.top# END AS top#
    {% else %}
    , e#.words AS words#
    {% endif %}
{% endfor %}
FROM (
    SELECT
        s.part,
        COUNT(*) AS cells
    {% for a in attributes %}
        , MIN(s.p#) AS lo#, MAX(s.p#) AS hi#
        {% if forms[a.index] == 'range' %}
        , MIN(s.y#) AS ylo#, MAX(s.y#) AS yhi#, COUNT(s.y#) AS numbers#
        , MAX(s.t#) AS top#
        {% endif %}
    {% endfor %}
    FROM spots AS s
    GROUP BY s.part
) AS b
{% for a in attributes if forms[a.index] == 'set' %}
JOIN (
    SELECT u.part,
        ',' || STRING_AGG(CAST(u.place AS VARCHAR), ',' ORDER BY u.place NULLS FIRST)
        || ',' AS words
    FROM (SELECT DISTINCT s.part, s.p# AS place FROM spots AS s) AS u
    GROUP BY u.part
) AS e# ON e#.part = b.part
{% endfor %}
