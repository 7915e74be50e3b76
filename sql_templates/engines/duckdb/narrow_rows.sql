{# The rows of a full-domain generalization in an order that only a secret salt knows, as codes: they
   take a fraction of the labels' space, and the sort need not spill. The labels come afterwards
   (engines/duckdb/labelled_rows).
   grain: one row per released row
   in: table, source, attributes, released (see release/rows), dim_<index>, levels {index: level},
       kept_classes (c1 …, n, ok) when rows are suppressed, masked (whether those stay as *), links
       (see release/rows), fresh_salt
   out: table(c1 … cn, for each column kept as it is or replaced r<position>, present: whether the
       row keeps the promise), in that order #}
{% from 'release/macros.sql' import kept, replacement %}
{% from 'engines/duckdb/macros.sql' import shuffled %}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for a in attributes %}
    COALESCE(d#.g{{ levels[a.index] | integer }}, 0) AS c#,
{% endfor %}
{% for r in released if r.replaced or r.kind == 'kept' or r.position in links %}
    {% if r.position in links %}
    k{{ r.position | integer }}.surrogate
    {% elif r.replaced %}
    {{ replacement(r, ['s', r.column.name], ['x', 'n'] if masked else none) }}
    {% else %}
    {{ kept(r) }}
    {% endif %}
        AS r{{ r.position | integer }},
{% endfor %}
    {% if masked %}x.n IS NOT NULL{% else %}TRUE{% endif %} AS present
FROM {{ source | ident }} AS s
{% for position in links %}
JOIN {{ links[position].table | ident }} AS k{{ position | integer }}
    ON k{{ position | integer }}.value = {{ links[position] | value('s') }}
{% endfor %}
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = @(s)') }}
{% if kept_classes %}
{% if masked %}LEFT {% endif %}JOIN {{ kept_classes | ident }} AS x
    ON x.ok
{% for a in attributes %}
    AND x.c# = COALESCE(d#.g{{ levels[a.index] | integer }}, 0)
{% endfor %}
{% endif %}
ORDER BY {{ shuffled() }}
