{# The rows that are the only ones with their values in a set of columns, and in none of its subsets:
   minimal sample uniques. A row that is alone in a subset is alone in the set, so it is no other
   row's: it is left aside before the others are counted.
   grain: one row per minimal sample unique
   in: level (the number of columns of each set), subsets (each with number, positions of its
       columns, and masks: for each column b<n> the bits of its subsets of one column fewer)
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
