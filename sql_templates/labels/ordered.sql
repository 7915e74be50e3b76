{# The order of the leaves of hierarchies by which intervals of names are read.
   grain: one row per hierarchy and leaf
   in: trees (number, height)
   out: table labels_places(tree, word, place) #}
CREATE OR REPLACE TABLE labels_places AS
{% for each in trees %}
{% with number = each.number, height = each.height %}
{% include 'labels/places.sql' %}
{% endwith %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
