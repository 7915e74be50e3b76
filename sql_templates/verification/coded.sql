{# The source's rows by the cell that each lies in, worked out anew: what stages a release has a
   statement of its own.
   A value that no dimension table has lies in no cell.
   grain: one row per source row
   in: source, released, attributes, valued (coded columns whose values divide cells too), judged
       (coded columns whose
       values are asked for), dim_<index>, values_<index> of the valued
   out: a SELECT of (c<index> of the attributes, x<index> of the valued, q<index> of the judged,
       r<position> of what is
        kept as it is) #}
SELECT
{% for a in attributes %}
    CASE WHEN {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith
        %} IS NULL THEN 0 ELSE h{{ a.index | integer }}.g{{ a.min_level | integer
            }} END AS c{{ a.index | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
{% for a in valued %}
    , CASE WHEN {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith
        %} IS NULL THEN 0 ELSE b{{ a.index | integer }}.code END AS x{{ a.index | integer }}
{% endfor %}
{% for a in judged %}
    , {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer }}
{% endfor %}
{% for r in released if r.kind == 'kept' %}
    , {% if r.type != r.column.type %}CAST(o.{{ r.column.name | ident }} AS {{ r.type | sql_type
        }}){% else %}o.{{ r.column.name | ident }}{% endif %} AS r{{ r.position | integer }}
{% endfor %}
FROM {{ source | ident }} AS o
{% for a in attributes %}
LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }}
    ON {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} = h{{ a.index | integer
        }}.value
{% endfor %}
{% for a in valued %}
LEFT JOIN values_{{ a.index | integer }} AS b{{ a.index | integer }}
    ON {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} = b{{ a.index | integer
        }}.value
{% endfor %}
