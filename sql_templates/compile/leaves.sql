{# The leaves of a hierarchy that is given leaf by leaf, spelled out.
   grain: one row per leaf
   in: attribute
   out: table leaves_<index>(v0 …, place) #}
CREATE TABLE leaves_{{ a.index | integer }} AS
{% include 'hierarchies/leaves.sql' %}
