{# in: kept, levels {index: level}, attributes
   out: rows of regions #}
INSERT INTO regions
SELECT
    x.grp,
    x.n
{% for a in attributes %}
    , {{ levels[a.index] | integer }} AS l#
{% endfor %}
    {{ attributes | each(', x.g#') }}
FROM kept AS x
