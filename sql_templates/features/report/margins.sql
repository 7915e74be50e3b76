{# The cells of a published table of statistics that crosstabs of two dimensions have: the others
   are at their totals.
   grain: one row per cell
   in: table, columns, tops {column of levels: the level of the total}, most (dimensions below their
       totals)
   out: the columns #}
SELECT {{ columns | idents('t') }}
FROM {{ table | ident }} AS t
WHERE
{% for name, top in tops %}
    CASE WHEN {{ ['t', name] | ident }} < {{ top | integer }} THEN 1 ELSE 0 END
    {%- if not loop.last %} +{% endif +%}
{% endfor %}
    <= {{ most | integer }}
