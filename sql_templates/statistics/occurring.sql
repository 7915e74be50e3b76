{# The groups that somebody is in, by the cells of single dimensions.
   grain: one row per attribute, level and group
   in: counted, singles (vectors of levels with one dimension below the top: number,
       index and level)
   out: table occurring(attribute, level, code) #}
CREATE TABLE occurring AS
{% for number, index, level in singles %}
SELECT
    {{ index | integer }} AS attribute,
    {{ level | integer }} AS level,
    {{ ['t', 'c' ~ index] | ident }} AS code
FROM counted AS t
WHERE t.v = {{ number | integer }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
