{# Values of rows and buckets as an attacker compares them; r is the relation they come from.
   out: macros #}

{# A value as it is compared with others, text byte by byte.
   in: column, cast (the type it is compared as, where that is not its own), text (whether it is
       text then)
   out: an expression #}
{% macro kept_value(column, cast, text=false) %}
{% if cast %}CAST(r.{{ column | ident }} AS {{ cast | sql_type }})
{%- else %}r.{{ column | ident }}{% endif %}
{% if text %} COLLATE "C"{% endif %}
{% endmacro %}

{# A value of the source as it is compared with released ones, text byte by byte. Of a column whose
   values lie in buckets it is what every statement takes for its value, else the value as it is.
   in: a (the column whose values lie in buckets, or none), column, cast (the type it is compared
       as, where that is not its own), text (whether it is text then)
   out: an expression #}
{% macro own_value(a, column, cast, text) %}
{% if cast %}CAST({% endif %}
{% if a %}{{ a | value('r') }}{% else %}r.{{ column | ident }}{% endif %}
{% if cast %} AS {{ cast | sql_type }}){% endif %}
{% if text and (cast or not a or a.cast) %} COLLATE "C"{% endif %}
{% endmacro %}

{# The number of a bucket, which is free to be any but 0: that means none.
   in: b (a reference to the bucket)
   out: an expression #}
{% macro bucket_number(b) %}
CASE
    WHEN {{ b | ident }} >= 0 THEN CAST({{ b | ident }} AS BIGINT) + 1
    ELSE CAST({{ b | ident }} AS BIGINT)
END
{%- endmacro %}

{# Whether the data has a leaf: those that it lacks have no value; NULL has none, and the code 0.
   in: a (attribute); d is its dimension table
   out: a condition #}
{% macro present(a) %}
{% if a.nulls %}d.code = 0 OR {% endif %}d.value IS NOT NULL
{% endmacro %}

{# The values of a source's rows as numbers; r is the row, d<index> and t<j> are joined to it by
   coded_rows.
   in: labels [(attribute, facet, for whom it is sensitive or none)], valued [(number j, facet, a,
       column, cast, text: see own_value)]
   out: columns v<facet>: of a label the code, 0 for NULL, -1 for a value that no hierarchy has, -2
        where the cell is sensitive; of a value its number, 0 for NULL #}
{% macro coded_values(labels, valued) %}
{% for a, facet, asked in labels %}
CASE
{% if asked %}
    WHEN COALESCE({{ asked | condition('r') }}, TRUE) THEN -2
{% endif %}
    WHEN r.{{ a.name | ident }} IS NULL THEN 0
    ELSE {{ a | sql('COALESCE(d#.code, -1)') }}
END AS {{ ('v' ~ facet) | ident }}{% if valued or not loop.last %},{% endif +%}
{% endfor %}
{% for j, facet, a, column, cast, text in valued %}
{{ j | sql('COALESCE(t#.x, 0)') }} AS {{ ('v' ~ facet) | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
{% endmacro %}

{# A source's rows with the numbers of their values.
   in: source, dim_<index>, judged_values_<j>, labels, valued (see coded_values)
   out: r, d<index> and t<j>, joined #}
{% macro coded_rows(source, labels, valued) %}
{{ source | ident }} AS r
{% for a, facet, asked in labels %}
LEFT JOIN {{ a | sql('dim_# AS d# ON d#.value = @(r)') }}
{% endfor %}
{% for j, facet, a, column, cast, text in valued %}
LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t{{ j | integer }}
    ON t{{ j | integer }}.value = {{ own_value(a, column, cast, text) }}
{% endfor %}
{% endmacro %}

{# The released rows with the numbers of their values; r is the row.
   in: judged_rows, judged_values_<j>, labels [(index, facet, number of the column of its buckets or
       none)], kept [(number j, facet, cast, text)], buckets [(number, facet)], who (the number of a
       column more, or none)
   out: columns v<facet>: of a label its number, 0 where the cell is in a bucket; of a kept value the
        number that the source's has, 0 for NULL, -1 for none; of a bucket its number, 0 for none;
        who: y<who>, n; and the relation they are of, r, joined #}
{% macro coded_released(labels, kept, buckets, who=none) %}
{% for index, facet, bucket in labels %}
    {% if bucket %}
    CASE WHEN r.{{ ('y' ~ bucket) | ident }} IS NULL THEN r.v{{ index | integer }} ELSE 0 END
    {% else %}
    r.v{{ index | integer }}
    {% endif %}
        AS {{ ('v' ~ facet) | ident }},
{% endfor %}
{% for j, facet, cast, text in kept %}
    {{ j | sql('CASE WHEN r.y# IS NULL THEN 0 ELSE COALESCE(t#.x, -1) END') }}
        AS {{ ('v' ~ facet) | ident }},
{% endfor %}
{% for j, facet in buckets %}
    CASE WHEN r.{{ ('y' ~ j) | ident }} IS NULL THEN 0
        ELSE {{ bucket_number(['r', 'y' ~ j]) }} END AS {{ ('v' ~ facet) | ident }},
{% endfor %}
{% if who %}
r.{{ ('y' ~ who) | ident }} AS who,
{% endif %}
r.n
FROM judged_rows AS r
{% for j, facet, cast, text in kept %}
LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t{{ j | integer }}
    ON t{{ j | integer }}.value = {{ kept_value('y' ~ j, cast, text) }}
{% endfor %}
{% endmacro %}
