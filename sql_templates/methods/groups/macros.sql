{# Values of groups.
   out: macros #}

{# A value of a set as it is written there: in double quotes where it could be taken for more than
   one, or for NULL.
   in: value (a reference to a text)
   out: an expression #}
{% macro element(value) %}
CASE
    WHEN {{ value | ident }} IS NULL THEN 'NULL'
    WHEN {{ value | ident }} = TRANSLATE({{ value | ident }}, ',{}"', '....')
        AND {{ value | ident }} = TRIM({{ value | ident }})
        AND {{ value | ident }} NOT IN ('', 'NULL')
    THEN {{ value | ident }}
    ELSE '"' || REPLACE({{ value | ident }}, '"', '""') || '"'
END
{%- endmacro %}

{# Whether the data has a leaf.
   in: a (attribute); d is its dimension table
   out: a condition #}
{% macro present(a) %}
d.value IS NOT NULL{% if a.nulls %} OR d.code = 0{% endif %}
{% endmacro %}
