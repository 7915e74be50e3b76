{# The code of a cell, -1 where it is withheld.
   in: a (attribute), semi; d<index> is the dimension table, p the row of patterns joined
   out: an expression #}
{% if a in semi %}CASE
    WHEN p.f{{ a.index | integer }} = 1 THEN -1
    ELSE COALESCE(d{{ a.index | integer }}.g{{ a.min_level | integer }}, 0) END
{%- else %}COALESCE(d{{ a.index | integer }}.g{{ a.min_level | integer }}, 0){% endif %}
