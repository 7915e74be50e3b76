{# The labels that groups are released with, numbered by attribute: equal labels (and bounds), equal
   numbers.
   grain: one row per group
   in: groups(grp, v<i>, lo<i> and hi<i> where there are bounds), attributes
   out: table shown_groups(grp, t<i>: from 1) #}
CREATE TABLE shown_groups AS
SELECT
    g.grp
    {% for a in attributes %}
    , CAST(DENSE_RANK() OVER (
        ORDER BY g.v# NULLS FIRST{% if a.bounds_type %}, g.lo# NULLS FIRST, g.hi# NULLS FIRST
        {%- endif %}

    ) AS INTEGER) AS t#
    {% endfor %}
FROM groups AS g
