{# The combinations of all dimensions of a circle of tables that may be anybody's, by labels: those of
   which every margin in its tables is a cell.
   grain: one row per combination
   in: audited, joint (a table: k<index>, and what is counted of every combination that somebody is in),
       margins (of every table those of all dimensions, the height for the top), shared (of every table
       the dimensions that tables before have, with the position of the first), first (the same of all
       dimensions), sums
   out: of every table the number of its cell; people, n, m<index> #}
{% macro of_table(position) %}
{% for index, level in margins[position - 1].items() %}
{% if not loop.first %}AND {% endif %}{{ ['e' ~ position, 'l' ~ index] | ident }} = {{ level | integer }}
{% endfor %}
{% endmacro %}
SELECT
{% for _ in margins %}
    {{ ['e' ~ loop.index, 'cell'] | ident }} AS {{ ('margin_' ~ loop.index) | ident }},
{% endfor %}
    CAST(COALESCE(j.people, 0) AS BIGINT) AS people,
    {{ sums | each('CAST(COALESCE(j.m#, 0) AS BIGINT) AS m#,') }}
    CAST(COALESCE(j.n, 0) AS BIGINT) AS n
FROM audited AS e1
{% for _ in margins[1:] %}
{% set position = loop.index + 1 %}
JOIN audited AS {{ ('e' ~ position) | ident }}
    ON {{ of_table(position) }}
    {% for index, other in shared[loop.index].items() %}
    AND {{ ['e' ~ position, 'k' ~ index] | ident }} = {{ ['e' ~ other, 'k' ~ index] | ident }}
    {% endfor %}
{% endfor %}
LEFT JOIN {{ joint | ident }} AS j
{% for index, position in first.items() %}
    {% if loop.first %}ON{% else %}AND{% endif %} {{ ['j', 'k' ~ index] | ident }} = {{ ['e' ~ position, 'k' ~ index] | ident }}
{% endfor %}
WHERE {{ of_table(1) }}
ORDER BY {% for _ in margins %}{{ ('margin_' ~ loop.index) | ident }}{% if not loop.last %}, {% endif %}{% endfor %}

