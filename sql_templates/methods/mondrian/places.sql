{# The values of every attribute in the order in which they are cut: numbers and dates in their own,
   all others so that the leaves of every node of the hierarchy lie together; NULL comes first.
   grain: one row per attribute and code of a cell; of an attribute with intervals where groups are
       made within something, also of the values that only rows have which are held back: an
       interval is as wide as the table has values in it
   in: cells, dim_<index>, nodes, attributes, promise, forms {index: 'range', 'set' or 'node'},
       withheld (indices of attributes that have withheld cells)
   out: table places(attribute, code, place: from 1 (0: withheld, whose code is -1), word: its rank
       in the alphabet, x: its number, where it has one, counted: whether a loss counts values or
       measures x, unit: the loss of one, whole: of all, leaves, present: those under it, label) #}
{% from 'methods/groups/macros.sql' import present %}
CREATE TABLE places AS
{% for a in attributes %}
SELECT
    # AS attribute,
    o.code, o.place,
    ROW_NUMBER() OVER (ORDER BY o.label COLLATE "C" NULLS FIRST, o.code NULLS FIRST) AS word,
    o.x,
{% if forms[a.index] != 'range' %}
    TRUE AS counted,
    CAST({{ a.policy.weight | literal }} AS DOUBLE) / GREATEST(COUNT(*) OVER () - 1, 1) AS unit,
{% else %}
    FALSE AS counted,
    CAST({{ a.policy.weight | literal }} AS DOUBLE)
        / CASE WHEN MAX(o.x) OVER () > MIN(o.x) OVER () THEN MAX(o.x) OVER () - MIN(o.x) OVER ()
        ELSE 1 END AS unit,
{% endif %}
    CAST({{ a.policy.weight | literal }} AS DOUBLE) AS whole,
    t.leaves, t.present, o.label
FROM (
    SELECT
        d.code,
        d.v{{ a.min_level | integer }} AS label,
    {% if forms[a.index] != 'range' %}
        ROW_NUMBER() OVER (ORDER BY
            {{ range(a.height, a.min_level, -1) | each('d.g# NULLS FIRST,') }}
            d.code NULLS FIRST) AS place,
        CAST(NULL AS DOUBLE) AS x
    {% else %}
        ROW_NUMBER() OVER (ORDER BY d.code NULLS FIRST) AS place,
        {% if a.column.kind in ('date', 'timestamp') %}
        CAST(CASE WHEN d.code > 0
            THEN ROW_NUMBER() OVER (ORDER BY d.code NULLS FIRST) END AS DOUBLE) AS x
        {% else %}
        CAST(CASE WHEN d.value BETWEEN -1000000000000000000 AND 1000000000000000000
            THEN d.value END AS DOUBLE) AS x
        {% endif %}
    {% endif %}
    {% if promise.within and forms[a.index] == 'range' %}
    FROM dim_# AS d
    WHERE {{ present(a) }}
    {% else %}
    FROM (SELECT DISTINCT c.c# AS code FROM cells AS c) AS u
    JOIN dim_# AS d ON d.code = u.code
    {% endif %}
) AS o
JOIN nodes AS t ON t.attribute = # AND t.level = {{ a.min_level | integer }}
    AND t.code = o.code
{% if a.index in withheld %}
UNION ALL
SELECT
    # AS attribute,
    -1 AS code,
    0 AS place,
    0 AS word,
    CAST(NULL AS DOUBLE) AS x,
    {% if forms[a.index] != 'range' %}TRUE{% else %}FALSE{% endif %} AS counted,
    CAST(0 AS DOUBLE) AS unit,
    CAST(0 AS DOUBLE) AS whole,
    1 AS leaves,
    1 AS present,
    CAST(NULL AS VARCHAR) AS label
{% endif %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
