{# What a group loses by the value of a seed and another, that is released as a node: the lowest
   over both.
   in: a (attribute that is no range), s (the seed's alias), value (a reference)
   out: an expression #}
CASE
    WHEN {{ value | ident }} = {{ [s, 'y' ~ a.index] | ident }} THEN CAST(0 AS DOUBLE)
{% for level in range(a.min_level + 1, a.max_level) %}
    WHEN {{ value | ident }} BETWEEN {{ [s, 'from' ~ a.index ~ '_' ~ level] | ident }}
        AND {{ [s, 'upto' ~ a.index ~ '_' ~ level] | ident }}
        THEN {{ [s, 'loss' ~ a.index ~ '_' ~ level] | ident }}
{% endfor %}
    ELSE {% if a.max_level > a.min_level %}{{ [s, 'loss' ~ a.index ~ '_' ~ a.max_level] | ident }}
        {% else %}CAST(0 AS DOUBLE){% endif +%}
END
