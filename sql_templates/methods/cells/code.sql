{# The code of a cell's group at the level of a node.
   in: a (attribute), levels {index: level}, t (what is left of the cells)
   out: an expression #}
{% if levels[a.index] == a.min_level %}t.c{{ a.index | integer }}
    {% else %}t.g{{ a.index | integer }}_{{ levels[a.index] | integer }}{% endif %}