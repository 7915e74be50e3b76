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
