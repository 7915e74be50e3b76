{# A value of the source as it is compared with released ones, text byte by byte. Of a column whose
   values lie in buckets it is what every statement takes for its value, else the value as it is.
   in: a (the column whose values lie in buckets, or none), column, cast (the type it is compared
       as, where that is not its own), text (whether it is text then); r is the source
   out: an expression #}
{% if cast %}CAST({% endif %}{% if a %}{{ a | value('r') }}
    {% else %}r.{{ column | ident }}{% endif %}{% if cast %}
    AS {{ cast | sql_type }}){% endif %}{% if text and (cast or not a or a.cast) %}
    COLLATE "C"{% endif %}
