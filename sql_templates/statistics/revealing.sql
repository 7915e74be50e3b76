{# Of how many rows sums reveal the number, to a reader who knows about how large the amounts are: those of
   groups in which sums of 0, 1, 2 and more amounts, up to a threshold, never overlap.
   grain: one row per grouping
   in: ranges, groupings (each of dimensions with levels, 0 being their values; none: all rows are one
       group), dim_<index>, sums, threshold
   out: number of the grouping; of every sum the rows with an amount in groups that have a threshold of
       them, and those of these where it does; NULL is a value #}
{% for grouping in groupings %}
SELECT
    CAST({{ loop.index | integer }} AS BIGINT) AS place
    {% for m in sums %}
    , CAST(COALESCE(SUM(
        CASE WHEN {{ m | sql('c.o#') }} >= {{ threshold | integer }} THEN {{ m | sql('c.o#') }} END
    ), 0) AS BIGINT) AS {{ m | sql('r#') }}
    , CAST(COALESCE(SUM(
        CASE WHEN {{ m | sql('c.o#') }} >= {{ threshold | integer }}
            AND ({{ m | sql('c.l#') }} > 0 OR {{ m | sql('c.h#') }} < 0)
            AND {{ (threshold - 1) | integer }}
                * CAST({{ m | sql('GREATEST(ABS(c.l#), ABS(c.h#))') }} AS DOUBLE)
                < {{ threshold | integer }}
                * CAST({{ m | sql('LEAST(ABS(c.l#), ABS(c.h#))') }} AS DOUBLE)
        THEN {{ m | sql('c.o#') }} END
    ), 0) AS BIGINT) AS {{ m | sql('k#') }}
    {% endfor %}
FROM (
    SELECT
    {% for m in sums %}
        CAST(SUM({{ m | sql('t.o#') }}) AS BIGINT) AS {{ m | sql('o#') }},
        MIN({{ m | sql('t.l#') }}) AS {{ m | sql('l#') }},
        MAX({{ m | sql('t.h#') }}) AS {{ m | sql('h#') }}
        {%- if not loop.last %},{% endif +%}
    {% endfor %}
    FROM ranges AS t
    {% for dimension, level in grouping if level %}
    LEFT JOIN dim_{{ dimension.index | integer }} AS {{ dimension | sql('d#') }}
        ON {{ dimension | sql('d#.value = t.q#') }}
    {% endfor %}
    {% for dimension, level in grouping %}
    {% if loop.first %}GROUP BY{% else %},{% endif +%}
        {% if level %}
        {{ dimension | sql('d#') }}.g{{ level | integer }}
        {% else %}
        {{ dimension | sql('t.q#') }}
        {% endif %}
    {% endfor %}
) AS c
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
