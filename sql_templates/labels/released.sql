{# The released values of a generalized column, numbered.
   grain: one row per label with its bounds
   in: into, table (released rows), c (a column as the release has it: facet, completed column)
   out: table into(value: its number from 1, label, n: rows, lo and hi where it has bounds,
       key1 …: their texts, by which rows find it) #}
CREATE TABLE {{ into | ident }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ c.parts | listed('k.key$ NULLS FIRST') }}) AS value,
    k.label,
    k.n{% if c.held.lo %}, k.lo, k.hi{% endif %}{{ c.parts | each(', k.key$') }}
FROM (
    SELECT
        COUNT(*) AS n,
        r.{{ c.name | ident }} AS label
        {% if c.held.lo %}
        , r.{{ c.held.lo.name | ident }} AS lo
        , r.{{ c.held.hi.name | ident }} AS hi
        {% endif %}
        {{ c.parts | each(", COALESCE('=' || CAST(r.@ AS VARCHAR), '') AS key$") }}
    FROM {{ table | ident }} AS r
    {% if c.held.bucketed %}
    WHERE r.{{ c.held.bucketed.key | ident }} IS NULL
    {% endif %}
    GROUP BY
        r.{{ c.name | ident }}{% if c.held.lo %}, r.{{ c.held.lo.name | ident }},
            r.{{ c.held.hi.name | ident }}{% endif +%}
        {{ c.parts | each(", COALESCE('=' || CAST(r.@ AS VARCHAR), '')") }}
) AS k
