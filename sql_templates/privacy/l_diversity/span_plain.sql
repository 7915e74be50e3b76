{# Classes whose least and greatest value lie too near each other.
   grain: one row per such class
   in: see verification/plain_sql/by_shares; days (whether the values are dates, which lie
       days apart)
   out: (keys, least, greatest) #}
{% macro apart(least, greatest) %}
{% if days %}
DATE_DIFF('day', {{ least | ident }}, {{ greatest | ident }})
{%- else %}
({{ greatest | ident }} - {{ least | ident }})
{%- endif %}
{% endmacro %}
SELECT
    {{ keys | idents('s') }},
    s.{{ ('least' ~ mark) | ident }},
    s.{{ ('greatest' ~ mark) | ident }}
FROM (
    SELECT
        {{ keys | idents('t') }},
        MIN(t.{{ column | ident }}) AS {{ ('least' ~ mark) | ident }},
        MAX(t.{{ column | ident }}) AS {{ ('greatest' ~ mark) | ident }}
    FROM {{ table | ident }} AS t
    GROUP BY {{ keys | idents('t') }}
) AS s
{% if model.kind == 'range' %}
CROSS JOIN (
    SELECT
        MIN(t.{{ column | ident }}) AS {{ ('table_least' ~ mark) | ident }},
        MAX(t.{{ column | ident }}) AS {{ ('table_greatest' ~ mark) | ident }}
    FROM {{ table | ident }} AS t
) AS w
{% endif %}
WHERE s.{{ ('least' ~ mark) | ident }} IS NULL
    OR {{ apart(['s', 'least' ~ mark], ['s', 'greatest' ~ mark]) }}
    < {{ (model.bound * (1 - tolerance)) | number }}
    {% if model.kind == 'range' %}
    * {{ apart(['w', 'table_least' ~ mark], ['w', 'table_greatest' ~ mark]) }}
    {% endif %}
