{# What the released labels of a column that is sensitive to some rows only cover: values of rows to
   which it is not; a cell in a bucket those to which it is; and *, which a whole group has where
   the column is hidden in it, both.
   grain: one row per pair
   in: covers_<index>, index, facet, stars (numbers of labels that are *)
   out: table covers_<facet>(label: 0 in a bucket, code: see verification/linking/apart_cells) #}
CREATE TABLE {{ ('covers_' ~ facet) | ident }} AS
SELECT c.label, c.code
FROM covers_{{ index | integer }} AS c
UNION ALL
SELECT 0 AS label, -2 AS code
{% for star in stars %}
UNION ALL
SELECT {{ star | integer }} AS label, -2 AS code
UNION ALL
SELECT {{ star | integer }} AS label, -1 AS code
{% endfor %}
