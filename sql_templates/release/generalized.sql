{# The source's rows with what they are released by in a full-domain generalization: part of a
   statement.
   in: source, attributes, dim_<index>, levels, kept_classes, masked, links (see release/rows)
   out: the source as s, dimension tables as d<index>, tables of surrogates as k<position>, classes
       as x, whose columns are NULL in masked rows #}
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
