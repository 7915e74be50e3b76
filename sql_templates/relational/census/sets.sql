{# Kinds that are known together of the rows of a table.
   grain: one row per row and set of kinds
   in: number (of the table), most (how many rows may be known), kinds (see
       relational/census/counts), entries_<number> (see relational/census/entries)
   out: a SELECT of (holder, kinds, w: how many rows are known by them) #}
{% from 'relational/census/macros.sql' import together %}
{% for size in range(2, most + 1) %}
SELECT v.holder, {{ kinds | idents('v') }}, {{ size | integer }} AS w
FROM (
    {{ together('entries_' ~ number, ['holder'], size, size, false, none, kinds) }}
) AS v
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
