{# The cells of a published table by the names of their groups.
   grain: one row per row of the table
   in: table, attributes (of the table), all_attributes, measures, roomy (the names of those whose type
       has room for more digits than they have), status (of cells that are shown),
       waived {measure: rows that may be shown although a rule forbids it}, name
   out: the table (l<index>, k<index> of all dimensions, b<position>: the value of a measure in units
       of its last digit, h<position>: 0 shown, 1 hidden, 2 neither, or a value of more digits,
       w<position>: 1 where it is waived) #}
{% from 'verification/statistics/macros.sql' import among, key, to_digits %}
CREATE TABLE {{ name | ident }} AS
SELECT
{% for a in all_attributes %}
    {% if a in attributes %}
    CAST({{ ['t', a.name ~ '_level'] | ident }} AS BIGINT) AS l#,
    CASE WHEN {{ ['t', a.name ~ '_level'] | ident }} = {{ a.height | integer }}
        AND {{ ['t', a.name] | ident }} = '*' THEN '*'
        ELSE {{ key(['t', a.name]) }} END AS k#,
    {% else %}
    CAST({{ a.height | integer }} AS BIGINT) AS l#,
    '*' AS k#,
    {% endif %}
{% endfor %}
{% for m in measures %}
    {% if m.scale %}
    CAST(FLOOR(
        CAST({{ ['t', m.name] | ident }} AS DECIMAL(27, {{ m.scale | integer }}))
        * {{ m.unit | integer }} + 0.5) AS BIGINT)
    {% else %}
    CAST({{ ['t', m.name] | ident }} AS BIGINT)
    {% endif %}
        AS {{ ('b' ~ loop.index) | ident }},
    CAST(CASE WHEN {{ among('t', waived[m.name]) }} THEN 1 ELSE 0 END AS BIGINT)
        AS {{ ('w' ~ loop.index) | ident }},
    CAST(CASE
        WHEN {{ ['t', m.name ~ '_status'] | ident }} = {{ status | literal }}
            {% if m.name in roomy %}
            AND {{ ['t', m.name] | ident }} = {{ to_digits(['t', m.name], m.scale) }} THEN 0
            {% else %}
            AND {{ ['t', m.name] | ident }} IS NOT NULL THEN 0
            {% endif %}
        WHEN {{ ['t', m.name ~ '_status'] | ident }} = 'hidden'
            AND {{ ['t', m.name] | ident }} IS NULL THEN 1
        ELSE 2 END AS BIGINT) AS {{ ('h' ~ loop.index) | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t
