{# What keeps the release of a compiled query back.
   grain: one row per broken rule of a hierarchy (see hierarchies/lint), and one of attribute 0
       where more rows would be suppressed than the policy allows
   in: attributes, dim_<index> of each; cells, k, limit (a share of all rows)
   out: (attribute, rule, level, offenders) #}
SELECT h.attribute, h.rule, h.level, h.offenders
FROM (
    {% include 'hierarchies/lint.sql' %}
) AS h
UNION ALL
SELECT 0, 'suppressed', 0, u.suppressed
FROM (
    {% include 'features/compile/too_many_suppressed.sql' %}
) AS u
