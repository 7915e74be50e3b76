{# Released rows whose kept values the source does not have together, or not in so many rows.
   grain: one row
   in: linked_tuples, linked_cells (v<facet>, n), linked_masked where masks, kept (the columns
       v<facet> of kept values), seen (those that masked rows show)
   out: (such rows, such rows with masked ones, by the values that these show) #}
{% macro beyond(sides, by) %}
(
    SELECT CAST(COALESCE(SUM(b.more), 0) AS BIGINT)
    FROM (
        SELECT SUM(s.more) AS more
        FROM (
        {% for table in sides %}
            SELECT {{ by | each('t.@, ') }}
                {% if table == 'linked_cells' %}-{% endif %}t.n AS more
            FROM {{ table | ident }} AS t
            {% if not loop.last %}UNION ALL{% endif +%}
        {% endfor %}
        ) AS s
        {% if by %}GROUP BY {{ by | idents('s') }}{% endif +%}
    ) AS b
    WHERE b.more > 0
)
{% endmacro %}
SELECT
    {{ beyond(['linked_tuples', 'linked_cells'], kept) }} AS released,
    {% if masks %}
    {{ beyond(['linked_tuples', 'linked_masked', 'linked_cells'], seen) }}
    {% else %}
    0
    {% endif %}
        AS with_masked
