{# A sample of a source's rows: what is kept of them, and the groups that generalization would leave
   of the rest. Ordered values that are kept stand together in bins of about as many rows; rows that
   are equal there share a bin.
   grain: one row per row of the source, of at most ``most`` random ones
   in: source, rows (of the source), most, kept (columns, as star/value takes them), ordered (the
       indices of those with an order), bin (rows), attributes, dim_<index>, groups (number,
       attribute, level; none: tenths of the rows in the order of its values)
   out: table linked_rows(b<index>: the value or bin of each kept column, f<number>: its group in
       each of groups) #}
CREATE TABLE linked_rows AS
SELECT
{% for c in kept %}
    {% if c.index in ordered %}
    CAST(FLOOR((RANK() OVER (ORDER BY t.{{ ('v' ~ c.index) | ident }} NULLS FIRST) - 1)
        / {{ bin | integer }}.0) AS INTEGER)
    {% else %}
    CAST(DENSE_RANK() OVER (ORDER BY t.{{ ('v' ~ c.index) | ident }} NULLS FIRST) AS INTEGER)
    {% endif %}
        AS {{ ('b' ~ c.index) | ident }},
{% endfor %}
{% for group in groups %}
    {% if group.level is none %}
    CAST(FLOOR((RANK() OVER (ORDER BY t.{{ ('q' ~ group.attribute.index) | ident }} NULLS FIRST)
        - 1) * 10.0 / COUNT(*) OVER ()) AS INTEGER)
    {% else %}
    COALESCE({{ ('d' ~ group.attribute.index) | ident }}.{{ ('g' ~ group.level) | ident }}, 0)
    {% endif %}
        AS {{ ('f' ~ group.number) | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT
        {{ kept | each('@(s) AS v#,') }}
        {{ attributes | listed('@(s) AS q#') }}
    FROM {{ source | ident }} AS s
    {% if rows > most %}
    ORDER BY RANDOM()
    LIMIT {{ most | integer }}
    {% endif %}
) AS t
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = t.q#') }}
