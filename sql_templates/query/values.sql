{# The released values of a generalized column, numbered.
   grain: one row per label with its bounds
   in: table (released rows), c (facet)
   out: table values_<index>(value: its number from 1, label, n: rows, lo and hi where it has bounds, key1 …: their texts, by which rows find it) #}
CREATE TABLE values_{{ c.index | integer }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {% for part in c.parts %}k.key{{ loop.index | integer }} NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %}) AS value,
    k.label,
    k.n{% if c.held.lo %}, k.lo, k.hi{% endif %}{% for part in c.parts %}, k.key{{ loop.index | integer }}{% endfor +%}
FROM (
    SELECT
        COUNT(*) AS n,
        r.{{ c.name | ident }} AS label
        {% if c.held.lo %}
        , r.{{ c.held.lo.name | ident }} AS lo
        , r.{{ c.held.hi.name | ident }} AS hi
        {% endif %}
        {% for part in c.parts %}
        , COALESCE('=' || CAST(r.{{ part | ident }} AS VARCHAR), '') AS key{{ loop.index | integer }}
        {% endfor %}
    FROM {{ table | ident }} AS r
    {% if c.held.bucketed %}
    WHERE r.{{ c.held.bucketed.key | ident }} IS NULL
    {% endif %}
    GROUP BY
        r.{{ c.name | ident }}{% if c.held.lo %}, r.{{ c.held.lo.name | ident }}, r.{{ c.held.hi.name | ident }}{% endif +%}
        {% for part in c.parts %}
        , COALESCE('=' || CAST(r.{{ part | ident }} AS VARCHAR), '')
        {% endfor %}
) AS k
