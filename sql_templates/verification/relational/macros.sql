{# Some rows that may be known of one person, none of which another one belongs to.
   out: macros #}

{# How many rows two known rows both belong to, themselves among them.
   in: one, other (places of known rows), depth (the greatest)
   out: an expression #}
{% macro common(one, other, depth) %}
({% for floor in range(1, depth + 1) -%}
CASE WHEN r{{ one | integer }}.b{{ floor | integer }}
    = r{{ other | integer }}.b{{ floor | integer }} THEN 1 ELSE 0 END
{%- if not loop.last %} + {% endif %}
{%- endfor %})
{%- endmacro %}

{# What names a combination of known rows.
   in: rows (how many are known), depth (the greatest)
   out: columns of a SELECT from knowable, as r1 …, each behind a comma #}
{% macro named(rows, depth) %}
{% for one in range(1, rows + 1) %}
, r{{ one | integer }}.kind AS kind{{ one | integer }}
{% for other in range(1, one) %}
, {{ common(one, other, depth) }} AS common{{ one | integer }}_{{ other | integer }}
{% endfor %}
{% endfor %}
{%- endmacro %}

{# All combinations of known rows of a person, in orders in which their kinds do not fall.
   in: rows (how many are known), depth (the greatest)
   out: joins of a person's rows with knowable, as r1 …, to people as t (id) #}
{% macro combined(rows, depth) %}
{% for one in range(1, rows + 1) %}
JOIN knowable AS r{{ one | integer }} ON r{{ one | integer }}.person = t.id
    {% for other in range(1, one) %}
    AND r{{ other | integer }}.me <> r{{ one | integer }}.me
    AND {{ common(one, other, depth) }}
        < LEAST(r{{ one | integer }}.floor, r{{ other | integer }}.floor)
    {% if other == one - 1 %}
    AND r{{ other | integer }}.kind <= r{{ one | integer }}.kind
    {% endif %}
    {% endfor %}
{% endfor %}
{%- endmacro %}

{# One of the shares that combinations are divided into, by what is known of the person itself and
   one of the rows.
   in: own (a reference), rows (how many are known), shares (how many), share (which one)
   out: nothing or the WHERE of a SELECT from knowable, as r1 … #}
{% macro where_share(own, rows, shares, share) %}
{% if rows and shares > 1 %}
WHERE ({{ own | ident }} + 31 * r1.kind) % {{ shares | integer }} = {{ share | integer }}
{% endif %}
{%- endmacro %}

{# The rows of a table with what tells them apart for whoever knows them.
   in: t (the table: number, depth), tables (how many), shapes (whether trees below rows are known),
       verified_<number>, shape_<number> (see verification/relational/shapes)
   out: a SELECT of the columns of verified_<number>, kind (which table's row and how it looks), me
        (the row, told from those of other tables) #}
{% macro looking(t, tables, shapes) %}
SELECT v.*, v.b{{ t.depth | integer }} AS me,
    {% if shapes %}s.shape{% else %}v.alike{% endif %} * {{ tables | integer }}
        + {{ t.number | integer }} AS kind
FROM {{ ('verified_' ~ t.number) | ident }} AS v
{% if shapes %}
JOIN {{ ('shape_' ~ t.number) | ident }} AS s ON s.id = v.id
{% endif %}
{%- endmacro %}
