{# Sets of values.
   out: macros #}
{% from 'methods/groups/macros.sql' import element %}

{# What a set is.
   in: t (the places of its values)
   out: columns leaves, present and words, the set as text in the order of the alphabet #}
{% macro words() %}
CAST(SUM(t.leaves) AS BIGINT) AS leaves,
    CAST(SUM(t.present) AS BIGINT) AS present,
    '{' || STRING_AGG(
        {{ element(['t', 'label']) }}, ', '
        ORDER BY t.word NULLS FIRST) || '}' AS words
{%- endmacro %}
