{# What is released of each group, hidden attributes as *.
   grain: one row per group
   in: uncovered (as methods/mondrian/groups makes it), hidden, nodes, attributes, semi
   out: table groups, alike #}
CREATE TABLE groups AS
SELECT
    x.grp, x.n
{% for a in attributes %}
    {% set bounds = ('lo', 'hi') if a.bounds_type or a.sorts else () %}
    {% for column in ('v', 'leaves', 'present') + bounds %}
    {% if a in semi and column == 'v' %}
    , CASE WHEN z.h# = 1 THEN '*'
        ELSE x.{{ (column ~ a.index) | ident }} END AS {{ (column ~ a.index) | ident }}
    {% elif a in semi and column in ('leaves', 'present') %}
    , CASE WHEN z.h# = 1
        THEN COALESCE(t#.{{ column | ident }}, 1)
        ELSE x.{{ (column ~ a.index) | ident }} END AS {{ (column ~ a.index) | ident }}
    {% else %}
    , x.{{ (column ~ a.index) | ident }}
    {% endif %}
    {% endfor %}
{% endfor %}
FROM uncovered AS x
LEFT JOIN hidden AS z ON z.grp = x.grp
{% for a in semi %}
LEFT JOIN (
    SELECT MAX(k.leaves) AS leaves, MAX(k.present) AS present
    FROM nodes AS k
    WHERE k.attribute = # AND k.level = {{ a.max_level | integer }}
) AS t# ON TRUE
{% endfor %}
