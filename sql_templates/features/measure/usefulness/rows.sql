{# The source and the completed table by the bins of their values and, of numbers, by how far these
   lie from the source's mean.
   grain: one row per row of either
   in: sides [(table, whether it is the completed one, columns as it has them)], draw (the column of
       the latter that numbers its draws),
       useful_cuts_<index> of columns with an order (column.ordered), useful_words_<index> of the
       others, bins (of the former), rest (the bin of what is no frequent value of the latter),
       scales (by index of a number: mean, deviation, least and greatest number that counts)
   out: table useful_rows(draw: 0 of the source, b<index>: the bin from 1, 0 for NULL; z<index>:
       millionths of the source's standard deviation, NULL where there is no number) #}
CREATE TABLE useful_rows AS
{% for table, completed, columns in sides %}
SELECT
    {% if completed %}CAST(s.{{ draw | ident }} AS INTEGER){% else %}0{% endif %} AS draw
    {%- for a in columns %},
        {% if a.ordered %}
    CASE
        WHEN s.{{ a.name | ident }} IS NULL THEN 0
            {% for bin in range(bins, 1, -1) %}
        WHEN {{ a | value('s') }} >= c#.k{{ bin | integer }} THEN {{ bin | integer }}
            {% endfor %}
        ELSE 1
    END AS b#
        {%- else %}
    CASE
        WHEN s.{{ a.name | ident }} IS NULL THEN 0
        ELSE COALESCE(w#.bin, {{ rest | integer }})
    END AS b#
        {%- endif %}
        {%- if a.index in scales %}
            {%- set mean, deviation, least, greatest = scales[a.index] %},
    CASE
        WHEN CAST(s.{{ a.name | ident }} AS DOUBLE)
            BETWEEN CAST({{ least | literal }} AS DOUBLE)
                AND CAST({{ greatest | literal }} AS DOUBLE)
        THEN CAST(FLOOR(
            (CAST(s.{{ a.name | ident }} AS DOUBLE) - CAST({{ mean | literal }} AS DOUBLE))
            / CAST({{ deviation | literal }} AS DOUBLE) * 1000000 + 0.5
        ) AS BIGINT)
    END AS z#
        {%- endif %}
    {%- endfor +%}
FROM {{ table | ident }} AS s
    {% for a in columns if a.ordered %}
CROSS JOIN useful_cuts_# AS c#
    {% endfor %}
    {% for a in columns if not a.ordered %}
LEFT JOIN useful_words_# AS w# ON w#.value = {{ a | value('s') }}
    {% endfor %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
