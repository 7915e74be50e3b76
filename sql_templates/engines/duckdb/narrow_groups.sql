{# The rows of a release by groups in an order that only a secret salt knows, each with the number of
   its group: what the group is released with comes afterwards (engines/duckdb/labelled_groups).
   grain: one row per released row
   in: table, what release/coded takes, or placed when split, assigned and groups (see
       release/groups), masked (whether rows of no group stay as *), fresh_salt
   out: table(grp: NULL for rows of no group, for each column kept as it is or replaced
       r<position>), in that order #}
{% from 'release/macros.sql' import replacement %}
{% from 'engines/duckdb/macros.sql' import shuffled %}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for r in released if r.kind == 'kept' %}
    {% if r.replaced %}
    {{ replacement(r, ['o', 'r' ~ r.position], ['p', 'grp'] if masked else none) }}
        AS r{{ r.position | integer }},
    {% elif masked and r.hidden %}
    {{ r | sql('CASE WHEN p.grp IS NOT NULL THEN o.r# END AS r#,') }}
    {% else %}
    o.r{{ r.position | integer }},
    {% endif %}
{% endfor %}
    p.grp
{% include 'release/grouped.sql' %}
ORDER BY {{ shuffled() }}
