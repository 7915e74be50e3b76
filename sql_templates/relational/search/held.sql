{# The rows that somebody may know of, with the class of the person's own row. Of rows that nothing
   tells apart there are no more than may be known, where ``few`` asks for that.
   grain: one row per row of a table below that of people
   in: tables (all below that of people: number, depth, chain: the numbers of the tables from their
       own up to the one before that of people), count (of all tables), depth (the greatest),
       known_rows, few (whether there are no more of them than that), standing_<number>
   out: a SELECT of (person, own: class of the person, origin: number of the table, parent, class,
        different in different tables, item: number of the row, depth, b1 …: the items of the rows
        that it refers to, from the one below the person to itself) #}
{% for t in tables %}
SELECT
    t.person,
    t.own,
    {{ t.number | integer }} AS origin,
    t.parent,
    t.class * {{ count | integer }} + {{ t.number | integer }} AS class,
    t.id * {{ count | integer }} + {{ t.number | integer }} AS item,
    {{ t.depth | integer }} AS depth
    {% for place in range(1, depth) %}
    {% if place == t.depth %}
    , t.id * {{ count | integer }} + {{ t.number | integer }} AS b{{ place | integer }}
    {% elif place == t.depth - 1 %}
    , t.parent * {{ count | integer }} + {{ t.chain[1] | integer }} AS b{{ place | integer }}
    {% elif place < t.depth %}
    , u{{ (place + 1) | integer }}.parent * {{ count | integer }}
        + {{ t.chain[t.depth - place] | integer }} AS b{{ place | integer }}
    {% else %}
    , CAST(NULL AS BIGINT) AS b{{ place | integer }}
    {% endif %}
    {% endfor %}
FROM (
    SELECT r.*,
        o.class AS own,
        {% if few %}
        ROW_NUMBER() OVER (PARTITION BY r.parent, r.class ORDER BY r.id NULLS LAST)
        {% else %}
        1
        {% endif %}
        AS place
    FROM {{ ('standing_' ~ t.number) | ident }} AS r
    JOIN standing_1 AS o ON o.id = r.person
) AS t
{% for place in range(t.depth - 1, 1, -1) %}
JOIN {{ ('standing_' ~ t.chain[t.depth - place]) | ident }} AS u{{ place | integer }}
    ON u{{ place | integer }}.id =
        {% if place == t.depth - 1 %}t{% else %}u{{ (place + 1) | integer }}{% endif %}.parent
{% endfor %}
WHERE t.place <= {{ known_rows | integer }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
