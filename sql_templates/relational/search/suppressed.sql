{# The rows of a table that are suppressed for some that may not stay: these, or rows that those
   refer to.
   grain: one row per row
   in: tables (of rows that may not stay: number, chain up to the one before that of people), unit
       (the number of the table whose rows are suppressed: 1, or one of every chain), count (of all
       tables), to_suppress, standing_<number>
   out: a SELECT of (id) #}
SELECT DISTINCT v.id
FROM (
{% for table in tables %}
    SELECT
    {% if unit == 1 %}
        x.person AS id
    {% elif unit == table.number %}
        t.id
    {% else %}
        u{{ unit | integer }}.id
    {% endif %}
    FROM to_suppress AS x
    {% if unit != 1 %}
    JOIN {{ ('standing_' ~ table.number) | ident }} AS t
        ON t.parent = x.parent
        AND t.class * {{ count | integer }} + {{ table.number | integer }} = x.class
    {% for number in table.chain[1:] %}
    JOIN {{ ('standing_' ~ number) | ident }} AS u{{ number | integer }}
        ON u{{ number | integer }}.id = {% if loop.first %}t{% else %}u{{
            table.chain[loop.index0] | integer }}{% endif %}.parent
    {% endfor %}
    {% endif %}
    WHERE x.origin = {{ table.number | integer }}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS v
