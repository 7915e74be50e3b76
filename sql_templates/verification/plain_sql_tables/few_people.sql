{# What may be known of fewer than k people: of their own row, and of one row of another table with
   the rows that it refers to.
   grain: one row per combination of values that fewer people have
   in: tables (from that of people to that of the known row: relation, key, reference: the column
       with the key of the table before it), known (columns that may be known: the place of their
       table from 1, and their name), k, mark (what tells the count from them)
   out: the values, and the number of people #}
SELECT
{% for place, name in known %}
    t{{ place | integer }}.{{ name | ident }},
{% endfor %}
    COUNT(DISTINCT t1.{{ tables[0].key | ident }}) AS {{ ('people' ~ mark) | ident }}
FROM {{ tables[0].relation | ident }} AS t1
{% for t in tables[1:] %}
JOIN {{ t.relation | ident }} AS t{{ (loop.index + 1) | integer }}
    ON t{{ (loop.index + 1) | integer }}.{{ t.reference | ident }}
        = t{{ loop.index | integer }}.{{ tables[loop.index0].key | ident }}
{% endfor %}
GROUP BY
{% for place, name in known %}
    t{{ place | integer }}.{{ name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
HAVING COUNT(DISTINCT t1.{{ tables[0].key | ident }}) < {{ k | integer }}
