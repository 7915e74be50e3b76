{# Whether the data has a leaf.
   in: a (attribute), d (its dimension table)
   out: an expression #}
d.value IS NOT NULL{% if a.nulls %} OR d.code = 0{% endif %}