{# Whether sums can be counted: floating-point numbers that are none or infinite, and amounts that are
   larger than whole numbers are exact everywhere; and how many rows have no amount.
   grain: one row
   in: source, sums, largest (units that a sum of amounts without their signs may have)
   out: of every sum the values that are beyond the largest one by themselves, and the sum of the
       others without their signs, in units, and the rows without a value #}
{% from 'statistics/macros.sql' import magnitude %}
SELECT
{% for m in sums %}
    CAST(COUNT(CASE WHEN {{ ['t', m.column.name] | ident }} IS NOT NULL
        AND NOT {{ magnitude(m, 't') }} <= {{ largest | integer }} THEN 1 END) AS BIGINT)
        AS {{ m | sql('b#') }},
    COALESCE(SUM(CASE WHEN {{ magnitude(m, 't') }} <= {{ largest | integer }}
        THEN {{ magnitude(m, 't') }} END), 0) AS {{ m | sql('s#') }},
    CAST(COUNT(*) - COUNT({{ ['t', m.column.name] | ident }}) AS BIGINT) AS {{ m | sql('n#') }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS t
