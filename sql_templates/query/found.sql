{# The rows that may satisfy a question, in three-valued logic: a row surely satisfies AND if it
   surely satisfies every part (the product of what is 1 or 0), OR if it surely satisfies any, and so
   it may, and so is the chance, columns taken to be independent of each other.
   grain: one row per group, bucket of the pivot, certainty and least and greatest value
   in: facts; columns (queried columns that the question is about); asked (sets that its columns must
       have: c the column, number of flags_<number>, radix: what a key of it adds to the number of
       the group, 0 for none; like: number of sets that must have the same key, or 0), inner (sets of the other conditions: c, number, sets), others (these
       conditions: by, parts), places (of a leaf of these: index of its column, number of its set),
       aggregated, pivot (index or 0),
       separate (whether the pivot's own condition is left to its buckets), independent (whether no
       column has several conditions: without, the chance is not known)
   out: table found(question: number of the group, key: of the pivot's set, unit: the pivot's bucket
       or 0, certain: 1 or 0, n, chance: expected number, NULL where it is not known, and of the
       aggregated column least, greatest, mass: its expected sum) #}
{% macro holds(node, kind) %}
{% if node.parts is defined %}
{% if node.by == 'OR' %}(1 - {% endif %}
{% for part in node.parts %}
{% if node.by == 'OR' %}(1 - {% endif %}{{ holds(part, kind) }}{% if node.by == 'OR' %}){% endif +%}
{% if not loop.last %}* {% endif +%}
{% endfor %}
{% if node.by == 'OR' %}){% endif +%}
{% else %}
{% set index, key = places[node] %}
CASE WHEN i{{ index | integer }}.value IS NULL THEN 0
    ELSE i{{ index | integer }}.{{ (kind ~ '_' ~ key) | ident }} END
{% endif %}
{% endmacro %}
CREATE TABLE found AS
SELECT
    s.question, s.key, s.unit, s.certain,
    {% if aggregated %}
    s.least, s.greatest,
    CASE WHEN COUNT(s.mass) = COUNT(*) THEN SUM(s.n * s.mass) END AS mass,
    {% endif %}
    CAST(SUM(s.n) AS BIGINT) AS n,
    CASE WHEN COUNT(s.chance) = COUNT(*) THEN SUM(s.n * s.chance) END AS chance
FROM (
    SELECT
        f.n,
        CAST(0{% for a in asked %}{% if a.radix %} + (l{{ a.number | integer }}.key - 1)
            * {{ a.radix | integer }}{% endif %}{% endfor %} AS BIGINT) AS question,
        {% for a in asked %}{% if a.c.index == pivot %}
        l{{ a.number | integer }}.key AS key,
        CASE WHEN f.c{{ pivot | integer }} < -1 THEN f.c{{ pivot | integer }} ELSE 0 END AS unit,
        {% endif %}{% endfor %}
        {% if not pivot %}0 AS key, CAST(0 AS BIGINT) AS unit,{% endif +%}
        {% for a in asked %}
        {% if separate and a.c.index == pivot %}
        CASE WHEN f.c{{ pivot | integer }} < -1 THEN 1 ELSE l{{ a.number | integer }}.must END *
        {% else %}
        l{{ a.number | integer }}.must *
        {% endif %}
        {% endfor %}
        {% for other in others %}{{ holds(other, 'must') }} * {% endfor %}1 AS certain,
        {% for a in asked %}
        {% if a.c.index == aggregated %}
        l{{ a.number | integer }}.least, l{{ a.number | integer }}.greatest,
        {% if independent %}
        l{{ a.number | integer }}.mass
            {% for b in asked %}{% if b.c.index != aggregated %}
            * l{{ b.number | integer }}.share
            {% endif %}{% endfor %}
            {% for other in others %}* {{ holds(other, 'share') }}{% endfor %} AS mass,
        {% else %}
        CAST(NULL AS DOUBLE) AS mass,
        {% endif %}
        {% endif %}
        {% endfor %}
        {% if independent %}
        {% for a in asked %}l{{ a.number | integer }}.share * {% endfor %}
        {% for other in others %}{{ holds(other, 'share') }} * {% endfor %}1 AS chance
        {% else %}
        CAST(NULL AS DOUBLE) AS chance
        {% endif %}
    FROM (
        SELECT {{ columns | each('k.c#,') }} CAST(SUM(k.n) AS BIGINT) AS n
        FROM facts AS k
        GROUP BY {{ columns | listed('k.c#') }}
    ) AS f
    {% for a in asked %}
    JOIN flags_{{ a.number | integer }} AS l{{ a.number | integer }}
        ON l{{ a.number | integer }}.value = f.c{{ a.c.index | integer }}
        {% if a.like %}AND l{{ a.number | integer }}.key = l{{ a.like | integer }}.key{% endif +%}
    {% endfor %}
    {% for i in inner %}
    LEFT JOIN (
        SELECT
            w.value
            {% for values in i.sets %}{% set key = loop.index %}
            , MAX(CASE WHEN w.key = {{ key | integer }}
                THEN w.must ELSE 0 END) AS {{ ('must_' ~ key) | ident }}
            , MAX(CASE WHEN w.key = {{ key | integer }}
                THEN 1 ELSE 0 END) AS {{ ('may_' ~ key) | ident }}
            , CASE WHEN COUNT(CASE WHEN w.key = {{ key | integer }} AND w.share IS NULL
                THEN 1 END) = 0 THEN MAX(CASE WHEN w.key = {{ key | integer }}
                THEN w.share ELSE 0 END) END AS {{ ('share_' ~ key) | ident }}
            {% endfor %}
        FROM flags_{{ i.number | integer }} AS w
        GROUP BY w.value
    ) AS i{{ i.c.index | integer }} ON i{{ i.c.index | integer }}.value = f.c{{ i.c.index | integer }}
    {% endfor %}
    {% for other in others %}
    {% if loop.first %}WHERE{% else %}AND{% endif %} {{ holds(other, 'may') }} = 1
    {% endfor %}
) AS s
GROUP BY s.question, s.key, s.unit, s.certain{% if aggregated %}, s.least, s.greatest{% endif +%}
