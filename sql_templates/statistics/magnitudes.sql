{# Whether sums can be counted: floating-point numbers that are none or infinite, and amounts that are
   larger than whole numbers are exact everywhere; and whether all rows add the same to one, or
   nothing.
   grain: one row
   in: source, sums, largest (units that a sum of amounts without their signs may have)
   out: of every sum the values that are beyond the largest one by themselves, and of the others, in
       units: their sum without their signs, how many are not 0, the least and the greatest of
       these #}
{% from 'statistics/macros.sql' import magnitude %}
{% macro other(m) %}
NULLIF(CASE WHEN {{ magnitude(m, 't') }} <= {{ largest | integer }}
        THEN FLOOR(CAST({{ ['t', m.column.name] | ident }} AS DOUBLE) * {{ m.unit | integer }} + 0.5) END, 0)
{%- endmacro %}
SELECT
{% for m in sums %}
    CAST(COUNT(CASE WHEN {{ ['t', m.column.name] | ident }} IS NOT NULL
        AND NOT {{ magnitude(m, 't') }} <= {{ largest | integer }} THEN 1 END) AS BIGINT)
        AS {{ m | sql('b#') }},
    COALESCE(SUM(CASE WHEN {{ magnitude(m, 't') }} <= {{ largest | integer }}
        THEN {{ magnitude(m, 't') }} END), 0) AS {{ m | sql('s#') }},
    CAST(COUNT({{ other(m) }}) AS BIGINT) AS {{ m | sql('o#') }},
    MIN({{ other(m) }}) AS {{ m | sql('l#') }},
    MAX({{ other(m) }}) AS {{ m | sql('g#') }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS t
