{# The cells by their codes.
   grain: one row per cell, or portion of one
   in: settled, places, attributes
   out: table assigned(c1 … cn, grp, first and last when relaxed) #}
CREATE TABLE assigned AS
SELECT
{% for a in attributes %}
    t{{ a.index | integer }}.code AS c{{ a.index | integer }},
{% endfor %}
    s.part AS grp
{% if relaxed %}
    , s.first
    , s.last
{% endif %}
FROM settled AS s
{% for a in attributes %}
JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.place = s.p{{ a.index | integer }}
{% endfor %}
