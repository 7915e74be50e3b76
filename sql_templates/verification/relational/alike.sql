{# The rows of a released table, those with the same labels alike; rows of people's rows only where
   the rows that they refer to are alike, too.
   grain: one row per row
   in: table, key, grouped (labels and bounds columns), reference (none of people), upper (the
       number of the table that it refers to), nested (whether that is not the one of people),
       depth, number, tables (how many), verified_<upper>
   out: a SELECT of (id, parent, person, alike, b1 …: the rows on the way down to it, the last is
        itself) #}
SELECT
    p.{{ key | ident }} AS id,
    {% if reference %}
    p.{{ reference | ident }} AS parent,
    {% if nested %}u.person{% else %}u.id{% endif %} AS person,
    {% else %}
    p.{{ key | ident }} AS parent,
    p.{{ key | ident }} AS person,
    {% endif %}
    {% for place in range(1, depth) %}
    u.b{{ place | integer }},
    {% endfor %}
    {% if depth %}
    p.{{ key | ident }} * {{ tables | integer }} + {{ number | integer }} AS b{{ depth | integer }},
    {% endif %}
    {% if grouped or nested %}
    DENSE_RANK() OVER (ORDER BY
        {% if nested %}u.alike NULLS FIRST{% if grouped %},{% endif %}{% endif %}
        {{ grouped | listed('p.@ NULLS FIRST') }})
    {% else %}
    1
    {% endif %}
    AS alike
FROM {{ table | ident }} AS p
{% if reference %}
JOIN {{ ('verified_' ~ upper) | ident }} AS u ON u.id = p.{{ reference | ident }}
{% endif %}
