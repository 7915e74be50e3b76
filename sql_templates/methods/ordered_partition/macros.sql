{# Intervals of ordered domains.
   out: macros #}

{# How an interval is written.
   in: a (attribute), mixed (whether NULL is in it with others), first and last (the texts of its
       ends; references)
   out: an expression; NULL for NULL alone #}
{% macro interval_label(a, mixed, first, last) %}
CASE
        WHEN {{ mixed | ident }} THEN '*'
        WHEN {{ first | ident }} = {{ last | ident }} THEN {{ first | ident }}
        {% if a.sorts %}
        ELSE '[' || {{ first | ident }} || ',' || {{ last | ident }} || ']'
        {% else %}
        ELSE {{ first | ident }} || ' … ' || {{ last | ident }}
        {% endif %}
    END
{%- endmacro %}
