{# The released rows of a method that assigns cells to groups.
   grain: one row per released row
   in: what release/coded takes, or placed when split, assigned(c1 … cn, grp, first and last when
       split), groups(grp, v<i>, lo<i>, hi<i>), averages (of release/averages, where there are
       any), masked (whether rows of no group stay as *), fresh_salt where there are surrogates
   out: the released columns #}
{% from 'release/macros.sql' import of_group, replacement %}
SELECT
{% for r in released %}
    {% if r.replaced %}
    {{ replacement(r, ['o', 'r' ~ r.position], ['x', 'grp'] if masked else none) }}
        AS {{ r.name | ident }}
    {% elif r.kind == 'kept' %}
    {% if masked and r.hidden %}
    {{ r | sql('CASE WHEN x.grp IS NOT NULL THEN o.r# END AS @') }}
    {% else %}
    {{ r | sql('o.r# AS @') }}
    {% endif %}
    {% else %}
    {{ of_group(r, masked) }} AS {{ r.name | ident }}
    {% endif %}
    {% if not loop.last %},{% endif +%}
{% endfor %}
{% include 'release/grouped.sql' %}
{% if masked %}LEFT {% endif %}JOIN groups AS x ON x.grp = p.grp
{% for r in released if r.averaged %}
{% if loop.first %}
LEFT JOIN averages AS y ON y.grp = p.grp
{% endif %}
{% endfor %}
