{# The source's rows by the classes of all releases that they fit.
   grain: one row per distinct classes, kept values and person
   in: source, columns (of the source, as attributes by their numbers), together_values_<column>,
       releases [(place in the list, number, numbers of its columns)], places (all of these alone),
       together_classes_<number>,
       kept [(number, column, type to cast to or none)] (values that tell which rows were released),
       entity (the column that tells people apart, as an attribute, or none)
   out: table together_rows_0(e<place>: class, 0 for none, y<j>: kept value, who where entity, n) #}
{% from 'verification/attack/macros.sql' import kept_value %}
CREATE TABLE together_rows_0 AS
SELECT
{% for place, number, own in releases %}
    {{ place | sql('COALESCE(k#.class, 0) AS e#,') }}
{% endfor %}
{% for j, column, cast in kept %}
    {{ kept_value(column, cast) }} AS y{{ j | integer }},
{% endfor %}
{% if entity %}
    {{ entity | value('r') }} AS who,
{% endif %}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS r
{{ columns | each('LEFT JOIN together_values_# AS d# ON d#.value = @(r)') }}
{% for place, number, own in releases %}
LEFT JOIN together_classes_{{ number | integer }} AS k{{ place | integer }}
    ON {% for column in own %}
    k{{ place | integer }}.w{{ column | integer }} = {{ column | sql('COALESCE(d#.code, 0)') }}
        {%- if not loop.last %} AND{% endif +%}
    {% endfor %}
{% endfor %}
GROUP BY
    {{ places | listed('COALESCE(k#.class, 0)') }}
{% for j, column, cast in kept %}
    , {{ kept_value(column, cast) }}
{% endfor %}
{% if entity %}
    , {{ entity | value('r') }}
{% endif %}
