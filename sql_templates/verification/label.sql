{# The label that a quasi-identifying value has at the released level, by its own column and
   dimension table.
   in: a (attribute), side (the relation of the value), level; h<index> is the dimension table
       joined to it
   out: an expression #}
CASE
    WHEN {{ side | ident }}.{{ a.name | ident }} IS NOT NULL
    THEN COALESCE(h#.v{{ level | integer }}, 'a value without a label')
    {% if a.null_labels is not none %}
    ELSE {{ a.null_labels[level] | literal }}
    {% endif %}
END
