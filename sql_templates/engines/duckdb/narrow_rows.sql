{# The rows of a full-domain generalization in an order that only a secret salt knows, as codes: they
   take a fraction of the labels' space, and the sort need not spill. The labels come afterwards
   (engines/duckdb/labelled_rows).
   grain: one row per released row
   in: table, source, attributes, released (see release/rows), dim_<index>, levels {index: level},
       kept_classes (c1 …, n, ok) when rows are suppressed, masked (whether those stay as *), links
       (see release/rows), fresh_salt
   out: table(c1 … cn, for each column kept as it is or replaced r<position>, present: NULL in
       masked rows), in that order #}
{% from 'release/macros.sql' import unlabelled %}
{% from 'engines/duckdb/macros.sql' import shuffled %}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for a in attributes %}
    COALESCE(d#.g{{ levels[a.index] | integer }}, 0) AS c#,
{% endfor %}
{% for r in released if r.kind == 'kept' or r.position in links %}
    {{ unlabelled(r, links, masked) }} AS r{{ r.position | integer }},
{% endfor %}
    {% if masked %}CASE WHEN x.n IS NOT NULL THEN TRUE END{% else %}TRUE{% endif %} AS present
{% include 'release/generalized.sql' %}
ORDER BY {{ shuffled() }}
