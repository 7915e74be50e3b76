{# The rows that are the only ones with their values in a set of columns, and in none of its
   subsets: minimal sample uniques. A row that is alone in a subset is alone in the set, so it is in
   no other row's way: it is left aside before the others are counted.
   grain: one row per minimal sample unique
   in: into, cells (the table of this level), subsets (each with number, positions of its columns,
       and masks: pairs of n and the bits of b<n> of its subsets with one column fewer)
   out: table suda_found_<level>_<part>(cell, subset: its number) #}
CREATE TABLE {{ into | ident }} AS
{% for subset in subsets %}
SELECT MIN(c.cell) AS cell, {{ subset.number | integer }} AS subset
FROM {{ cells | ident }} AS c
WHERE TRUE
    {% for position, mask in subset.masks %}
    AND (c.{{ ('b' ~ position) | ident }} & {{ mask | integer }}) = 0
    {% endfor %}
GROUP BY {% for position in subset.positions %}c.{{ ('v' ~ position) | ident }}
    {%- if not loop.last %}, {% endif %}{% endfor +%}
HAVING SUM(c.n) = 1
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
