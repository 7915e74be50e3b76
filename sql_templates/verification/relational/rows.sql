{# Where the released rows of a table are not rows of the source, generalized. Who is who is told by
   the keys of the source and their surrogates; every value is compared.
   grain: one row
   in: table, source, attributes, dim_<index>, levels, released (see release/rows), key (column),
       key_position and key_name of it in released, links (position in released: the column, and
       the table of its values with their surrogates: keys and references of people's rows),
       surrogates (other released columns that have surrogates)
   out: (released rows, those that are a row of the source, those of which a value is another; and
        of each column of surrogates how many values, surrogates and pairs of these there are, and
        rows that have one without the other) #}
{% from 'verification/macros.sql' import compared, expected %}
SELECT COUNT(*) AS total, COUNT(v.found) AS found,
    COUNT(CASE WHEN NOT (
    {% for r in released if r not in surrogates %}
        COALESCE(
            v.e{{ r.position | integer }} = v.p{{ r.position | integer }},
            v.e{{ r.position | integer }} IS NULL AND v.p{{ r.position | integer }} IS NULL
        )
        {% if not loop.last %}AND{% endif +%}
    {% endfor %}
    ) THEN 1 END) AS different
    {% for r in surrogates %}
    , COUNT(DISTINCT v.e{{ r.position | integer }})
    , COUNT(DISTINCT v.p{{ r.position | integer }})
    , COUNT(DISTINCT v.p{{ r.position | integer }} || ' ' || v.e{{ r.position | integer }})
    , COUNT(CASE WHEN v.found IS NOT NULL AND (v.e{{ r.position | integer }} IS NULL)
        <> (v.p{{ r.position | integer }} IS NULL) THEN 1 END)
    {% endfor %}
FROM (
SELECT
    {{ key | value('o') }} AS found
    {% for r in released %}
    ,
    {% if r.position in links %}
    k{{ r.position | integer }}.surrogate
    {% elif r.kind == 'kept' %}
    {{ expected(r, ['o', r.column.name]) }}
    {% elif r.kind == 'label' %}
    {% with a = r.attribute, side = 'o', level = levels[r.attribute.index] %}
    {% include 'verification/label.sql' %}
    {% endwith %}
    {% else %}
    {{ compared(r, ['h' ~ r.attribute.index, r.kind ~ levels[r.attribute.index]]) }}
    {% endif +%}
    AS e{{ r.position | integer }},
    {% if r.position in links %}
    p.{{ r.name | ident }}
    {% else %}
    {{ compared(r, ['p', r.name]) }}
    {% endif +%}
    AS p{{ r.position | integer }}
    {% endfor %}
FROM {{ table | ident }} AS p
{% if key_position in links %}
LEFT JOIN {{ links[key_position].table | ident }} AS k{{ key_position | integer }}
    ON k{{ key_position | integer }}.surrogate = p.{{ key_name | ident }}
LEFT JOIN {{ source | ident }} AS o
    ON {{ key | value('o') }} = k{{ key_position | integer }}.value
{% else %}
LEFT JOIN {{ source | ident }} AS o ON {{ key | value('o') }} = {{ key | value('p') }}
{% endif %}
{% for position in links if position != key_position %}
LEFT JOIN {{ links[position].table | ident }} AS k{{ position | integer }}
    ON k{{ position | integer }}.value = {{ links[position] | value('o') }}
{% endfor %}
{% for a in attributes %}
LEFT JOIN dim_# AS h# ON {{ a | value('o') }} = h#.value
{% endfor %}
) AS v
