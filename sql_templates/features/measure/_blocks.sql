-- name: all_shares
{# grain: one row per query and label
   in: shares_<index>
   out: what it holds, to be taken to another engine #}
SELECT s.query, s.label, s.share
FROM shares_{{ index | integer }} AS s

-- name: facts
{# The source by the codes of the columns that queries may ask for.
   grain: one row per distinct combination
   in: source, domain_<index>, columns
   out: table source_facts(c<index> …, n) #}
CREATE TABLE source_facts AS
SELECT
    {{ columns | each('COALESCE(d#.code, 0) AS c#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
{{ columns | each('LEFT JOIN domain_# AS d# ON d#.value = @(s)') }}
GROUP BY {{ columns | listed('COALESCE(d#.code, 0)') }}

-- name: label_rows
{# grain: one row per label
   in: released_facts, a (attribute)
   out: (label, released rows) #}
SELECT t.c# AS label, CAST(SUM(t.n) AS BIGINT) AS n
FROM released_facts AS t
GROUP BY t.c#

-- name: labels
{# The released values of a column.
   grain: one row per value
   in: table (released rows), name, bucket (the column that is known where the value is withheld, or
       none)
   out: (the value as text, and as it is) #}
SELECT DISTINCT CAST(r.{{ name | ident }} AS VARCHAR) AS word, r.{{ name | ident }} AS label
FROM {{ table | ident }} AS r
{% if bucket %}
WHERE r.{{ bucket | ident }} IS NULL
{% endif %}

-- name: sizes
{# grain: one row per attribute
   in: domain_<index>, attributes
   out: (attribute, values that the data has, those of them that are not NULL) #}
{% for a in attributes %}
SELECT # AS attribute, COUNT(*) AS size,
    COUNT(CASE WHEN d.code > 0 THEN 1 END) AS known
FROM domain_# AS d
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}

-- name: words
{# The values that random queries are to name: values of one column, apart from any row.
   grain: one row per place
   in: a (attribute), domain_<index> (its codes in the order of the values), drawn_<index>(place)
   out: (place, value) #}
SELECT p.place, d.value
FROM domain_# AS d
JOIN drawn_# AS p ON p.place = d.code
WHERE d.code > 0
