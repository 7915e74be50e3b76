{# The released rows with those quasi-identifying columns as text that they have as they are.
   grain: one row per released row
   in: table (of the release), labels (names of columns that are labels), values (columns that are
       values, as attributes)
   out: table together_released(the columns by their names) #}
CREATE TABLE together_released AS
SELECT
    {{ labels | idents('r') }}{% if labels and values %},{% endif +%}
{% for a in values %}
    {{ a | text('r', a.name) }} AS {{ a.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS r
